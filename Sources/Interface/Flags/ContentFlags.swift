import FlagTable
import HTTPSemantics

/// The flags that say what is sent beside fields: forms, files, and parts of the query.
enum ContentFlags {
  static let all: [Flag<Invocation>] = [form, formString, upload, get, query]

  static let form = Flag<Invocation>(
    "form", short: "F", value: "NAME=CONTENT", in: .request, scope: .group,
    facts: {
      let secrecy = Secrecy.ofContent($0, isNamed: true, orFileBehind: "@<")
      return .init(also: .content, over: [.field(.contentType)], secrecy: secrecy)
    },
    summary: "Send a part of a form, as multipart/form-data, with POST.",
    details: #"""
      `NAME=@FILE` sends a file as it is, with its name, and `NAME=@FILE,FILE` several, each as a part of its own.
      `NAME=<FILE` sends what is in the file, and not its name. `-` is standard input. Files are read while they
      are sent. `;type=text/plain` behind it says of which type the part is, and `;filename=other` under which name it
      is sent. What holds a semicolon or a comma stands in quotation marks, or is given with \flag{form-string}. The
      option may be repeated.

          garner -F name=Ada -F 'photo=@a.png;type=image/png' a.example
      """#
  ) { invocation, text throws(InvalidValue) in invocation.request.form.append(try FormPart(parsing: text)) }

  static let formString = Flag<Invocation>(
    "form-string", value: "NAME=TEXT", in: .request, scope: .group,
    facts: { .init(also: .content, over: [.field(.contentType)], secrecy: .ofContent($0, isNamed: true)) },
    summary: "Send TEXT as a part of a form, whatever it begins with or holds.",
    details: #"Otherwise as \flag{form}."#
  ) { invocation, text throws(InvalidValue) in invocation.request.form.append(try FormPart(literal: text)) }

  static let upload = Flag<Invocation>(
    "upload-file", short: "T", value: "FILE", completes: .file, in: .request, scope: .group,
    facts: { _ in .init(also: .content, .method) },
    summary: "Send FILE with PUT.",
    details: """
      `-`, or `.`, is standard input, which is sent while it comes. A URL whose path ends in a slash gets the name of
      the file behind it. The option may be repeated, once for each URL; an empty FILE leaves a URL out.
      """
  ) { invocation, text in invocation.request.uploads.append(text) }

  static let get = Flag<Invocation>(
    "get", short: "G", negation: .accepted, in: .request, scope: .group, facts: { _ in .init(also: .method) },
    summary: "Put the data into the URL, and send GET.",
    details: #"What \flag{data} and its kin give goes behind the query that the URL has."#
  ) { invocation, isOn in invocation.request.sendsDataInQuery = isOn }

  static let query = Flag<Invocation>(
    "url-query", value: "DATA", in: .request, scope: .group, facts: { .init(secrecy: .ofQuery($0)) },
    summary: "Add DATA to the query of the URL, percent-encoded.",
    details: #"DATA is as for \flag{data-urlencode}; behind a `+` it is added as it is. The option may be repeated."#
  ) { invocation, text throws(InvalidValue) in
    let part =
      text.bytes.first == ASCII.plus
      ? DataPart(.literal(ArgumentText(text.bytes.dropFirst())), .asIs) : try DataPart(percentEncoding: text)
    invocation.request.query.append(part)
  }
}
