import Foundation
import TestSupport
import Testing

@testable import Transport

@Suite("The error sentences of libcurl and OpenSSL that decisions depend on")
struct CurlSentenceTests {
  /// Each sentence with its form in the library: one piece, or several that libcurl joins.
  private static let sentences: [(sentence: String, pieces: [String])] = [
    (CurlSentences.unsupportedProxy, ["Unsupported proxy "]),
    (CurlSentences.tooSlow, ["Operation too slow"]),
    (CurlSentences.failedInTLS, ["OpenSSL SSL_connect: "]),
    (CurlSentences.brokenOffInTLS, ["OpenSSL SSL_connect: ", "SSL_ERROR_SYSCALL"]),
    (CurlSentences.chunksRefused, ["Chunky upload is not supported by HTTP 1.0"]),
    (CurlSentences.hostNotResolved, ["Could not resolve host: "]),
    (CurlSentences.proxyNotResolved, ["Could not resolve "]),
    (CurlSentences.socksLoginMissing, ["No authentication method was acceptable"]),
    (CurlSentences.socksLoginRefused, ["User was rejected by the SOCKS5 server"]),
    (CurlSentences.notConnected, ["Failed to connect to "]),
    (CurlSentences.notConnected(to: "%s", port: 1), ["Failed to connect to %s port "]),
    (CurlSentences.otherName, ["SSL: "]),
    (CurlSentences.expired, ["certificate has expired"]),
    (CurlSentences.notYetValid, ["certificate is not yet valid"]),
    (CurlSentences.weakKey, ["certificate key too weak"]),
  ]

  @Test("Each sentence is contained in the libraries that garner-transport is linked with")
  func present() throws {
    let directory = try TemporaryDirectory("sentences")
    var run = ToolRun([BuiltTool.path + "-transport"], home: directory)
    run.executable = "/usr/bin/ldd"
    let lines = try run.run().outputText.split(separator: "\n")
    let libraries = try ["libcurl.so.4 => ", "libcrypto.so.3 => "].map { name in
      let line = try #require(lines.first { $0.contains(name) })
      let path = try #require(line.split(separator: " ").first { $0.hasPrefix("/") })
      return Data(try readFile(String(path)))
    }
    for (sentence, pieces) in Self.sentences {
      #expect(sentence.hasPrefix(pieces.joined()))
      for piece in pieces { #expect(libraries.contains { $0.range(of: Data(piece.utf8)) != nil }, "\(piece)") }
    }
  }

  @Test("Every sentence of the source is checked")
  func complete() throws {
    let file = try readFile("\(BuiltTool.projectRoot)/Sources/Transport/CurlSentences.swift")
    let defined = String(decoding: file, as: UTF8.self).components(separatedBy: "  static ").count - 1
    #expect(defined == Self.sentences.count)
  }
}
