import ContentCoding
import FlagTable
import HTTPSemantics
import Interface
import Platform
import Transport

extension Failure {
  /// What helps, for a line of its own.
  package var hint: String? {
    switch self {
    case .usage(let error): error.hint
    case .contradiction(_, let hint), .store(_, let hint): hint
    case .noStoreDirectory(relative: nil): "--cache-dir DIRECTORY names one"
    case .noStoreDirectory(relative: _?): "set it to an absolute path, or use --cache-dir DIRECTORY"
    case .nothingMatched: "'garner cache ls' lists the stored responses"
    case .setting(in: _, let error): error.hint
    case .config(_, _, isTyped: false): "-q runs without a config file"
    case .binary(_, isFetched: true): "-o FILE saves it; -o - prints it anyway"
    case .binary(_, isFetched: false): "'> FILE' saves it; '| cat' prints it anyway"
    case .takenName, .noFileName: "--output FILE names it"
    case .output(let name?, .accessDenied) where Path(name).map(OutputPath.isPlanted) == true:
      "another user created it in a directory that everybody can write to"
    case .noDirectory: "--create-dirs creates the missing directories"
    case .notContinued, .endsBefore: "without --continue-at, the whole content is fetched"
    case .tooLarge: "--max-filesize sets the limit"
    case .coding(.bomb, _): "--max-ratio raises the limit; without --compressed, it is delivered undecoded"
    case .coding(.windowTooLarge, _), .coding(.unknown, _), .coding(.tooMany, _):
      "without --compressed, it is delivered undecoded"
    case .transport(let error, _) where error.isOfUnfitCertificate: "--insecure turns the check off"
    case .transport(.certificate, _): "--cacert FILE names the authorities to trust; --insecure turns the check off"
    case .transport(.credentials(let failure), _) where failure.code == ExitStatus.clientCertificate.rawValue:
      "put the key of --cert in the same file, or name it with --key FILE; --pass PASSWORD decrypts it"
    case .transport(.tunnelRefused(status: 407), _): Self.hintOfProxy
    case .transport(.programUnusable, _): "garner and garner-transport are installed together"
    case .transport(.programMissing, _):
      "it belongs beside garner, or in ../libexec/garner from there; both are installed together"
    // Only if the file is missing: a library that is there may fail to be mapped, too.
    case .transport(.libraryMissing(let reason), _) where reason.hasSuffix("No such file or directory"):
      "on Debian: apt install libcurl4"
    case .malformedURL(_, .hostNotMapped), .malformedLocation(.hostNotMapped, _):
      "garner-idn is installed with garner, and needs libidn2 (on Debian: libidn2-0)"
    case .entryDamaged, .damageFound(of: _, left: _, afterRepair: false):
      "'garner cache verify --repair' removes damaged entries"
    case .mayNotBeUsedUnasked(_, isOffline: true): "--offline without =strict also serves stale responses"
    case .damagedUnasked: "the next fetch that may use the network asks the origin"
    case .storedForOthers: "'garner cache explain' with the options of the fetch shows what is stored for the URL"
    case .notStored, .absent, .partlyStored: "'garner cache ls' lists the stored responses"
    case .malformedURL(let text, .incompleteScheme): "did you mean \(Self.completingScheme(of: text))?"
    case .transport(.couldNotResolve, let target):
      CommandLineInterface.commandMeant(by: target).map { "did you mean '\($0)'?" }
    case .malformedGlob: "--globoff takes braces and brackets literally"
    case .listed(_, line: _, let failure): failure.hint
    case .damagedWhileDelivered, .changedStored: "the next fetch of it asks the origin"
    case .tooManyRedirects: "--max-redirs raises the limit"
    case .downgrade: "--proto-redir =http,https follows it; --no-location shows the redirection"
    case .transport, .changedMeanwhile, .withoutRest, .unaskedNotModified, .unaskedPart, .cacheNotUsed, .mayNotBeUsed,
      .mayNotBeUsedUnasked, .mayNotBeSent, .httpError, .storedError, .malformedURL, .schemeNotAllowed,
      .redirectNotAllowed, .config, .input, .unreadableInput, .output, .emptyFileName, .malformedLocation, .coding,
      .digestMismatch, .otherContent, .changedFile, .missing, .damageFound, .leftOutOfArchive, .archive,
      .damagedArchive, .interrupted:
      nil
    }
  }

  static let hintOfProxy = "--proxy-user USER:PASSWORD sets the credentials for the proxy"

  /// Returns a URL with `://` after its scheme, whichever part of that is there.
  private static func completingScheme(of text: String) -> String {
    let scheme = text.prefix { $0 != ":" && $0 != "/" }
    return Escaping.shown(malformed: scheme + "://" + text[scheme.endIndex...].drop { $0 == ":" || $0 == "/" })
  }
}
