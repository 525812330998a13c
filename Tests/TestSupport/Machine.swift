import Glibc

/// What a test needs that a machine may be without.
package enum Machine {
  /// Whether a test whose program is missing fails, and is not left out: `make check` installs all of them, and sets
  /// `GARNER_TESTS_COMPLETE`.
  package static let isComplete = getenv("GARNER_TESTS_COMPLETE") != nil

  /// Whether a test is run that needs this program: for `.enabled(if:)`.
  package static func has(_ program: String) -> Bool { isComplete || installedProgram(program) != nil }

  /// Whether a test is run that needs the built tool.
  package static let hasTool = isComplete || access(BuiltTool.path, X_OK) == 0

  /// Whether this process may do what only root may.
  package static let isRoot = geteuid() == 0

  /// What a run goes through that is to be refused what its files' modes refuse: root has its way otherwise.
  package static let withoutPrivileges = isRoot ? ["setpriv", "--bounding-set", "-all"] : []
}

/// Namespaces of the kernel's, for runs that mount or have another network.
package enum Isolation {
  /// Root, and mounts that nobody else sees.
  package static let mounts = ["unshare", "--mount"]
  /// A user who is root in there, and mounts that nobody else sees.
  package static let ownMounts = ["unshare", "--map-root-user", "--mount"]
  /// A user who is root in there, and a network with nothing but `lo`, which is down.
  package static let ownNetwork = ["unshare", "--map-root-user", "--net"]

  /// A user who is not root in there, whoever that is, and has what is this user's.
  package static let commonUser = ["unshare", "--user", "--map-user=65534"]
  package static let canBeCommonUser = succeeds("exit 0", commonUser)

  /// Whether root may mount a tmpfs.
  package static let canMount =
    Machine.isRoot && succeeds("mount -t tmpfs none \"$HOME\"", mounts)

  /// Whether whoever this is may mount a directory to be read only.
  package static let canMountAsUser = succeeds(
    "mount --bind \"$HOME\" \"$HOME\" && mount -o remount,ro,bind \"$HOME\"", ownMounts)

  package static let canUnshareNetwork = succeeds("exit 0", ownNetwork)

  package static let canMakeLinks = succeeds(
    "mount -t sysfs sysfs /sys && ip link add v0 type veth peer name v1", ownNetwork + ["--mount"])

  private static func succeeds(_ script: String, _ wrapper: [String]) -> Bool {
    guard installedProgram("unshare") != nil, let home = try? TemporaryDirectory("isolation") else { return false }
    var run = ToolRun(home: home).throughShell(script)
    run.wrapper = wrapper
    return (try? run.run())?.succeeded == true
  }
}

/// The path of an installed program, found as a shell would find it.
package func installedProgram(_ name: String) -> String? {
  for directory in ["/usr/local/bin", "/usr/bin", "/bin", "/usr/sbin", "/sbin"] {
    let path = "\(directory)/\(name)"
    if access(path, X_OK) == 0 { return path }
  }
  return nil
}
