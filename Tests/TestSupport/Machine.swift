import Glibc

/// Properties of the machine and programs that a test needs and a machine may lack.
package enum Machine {
  /// Whether a test whose program is missing fails instead of being left out. `make check`, which installs all of the
  /// programs, sets `GARNER_TESTS_COMPLETE`.
  package static let isComplete = getenv("GARNER_TESTS_COMPLETE") != nil

  /// Whether to run a test that needs this program: for `.enabled(if:)`.
  package static func has(_ program: String) -> Bool { isComplete || installedProgram(program) != nil }

  /// Whether to run a test that needs the built tool.
  package static let hasTool = isComplete || access(BuiltTool.path, X_OK) == 0

  /// Whether this process runs as root.
  package static let isRoot = geteuid() == 0

  /// The wrapper of a run that must be subject to the modes of files, which otherwise do not restrict root.
  package static let withoutPrivileges = isRoot ? ["setpriv", "--bounding-set", "-all"] : []
}

/// Wrappers that put a run into kernel namespaces, so that it can mount or has another network.
package enum Isolation {
  /// Mounts that no other process sees, for root.
  package static let mounts = ["unshare", "--mount"]
  /// Mounts that no other process sees, for a user who is root inside of the namespace.
  package static let ownMounts = ["unshare", "--map-root-user", "--mount"]
  /// A network with nothing but `lo`, which is down, for a user who is root inside of the namespace.
  package static let ownNetwork = ["unshare", "--map-root-user", "--net"]

  /// A user who is not root inside of the namespace, even where this process is root, and who owns this user's files.
  package static let commonUser = ["unshare", "--user", "--map-user=65534"]
  package static let canBeCommonUser = succeeds("exit 0", commonUser)

  /// Whether root may mount a tmpfs.
  package static let canMount =
    Machine.isRoot && succeeds("mount -t tmpfs none \"$HOME\"", mounts)

  /// Whether this user may remount a directory read-only.
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

/// Returns the path of an installed program, found as a shell would find it.
package func installedProgram(_ name: String) -> String? {
  for directory in ["/usr/local/bin", "/usr/bin", "/bin", "/usr/sbin", "/sbin"] {
    let path = "\(directory)/\(name)"
    if access(path, X_OK) == 0 { return path }
  }
  return nil
}
