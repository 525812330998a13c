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
    summary: "Send a form part as multipart/form-data, with POST.",
    details: #"""
      `NAME=@FILE` sends a file unchanged, with its name, and `NAME=@FILE,FILE` sends several files, each as a part of
      its own. `NAME=<FILE` sends the content of a file without its name. `-` is standard input. Files are read while
      they are sent. After these, `;type=text/plain` sets the type of the part, and `;filename=other` the file name that
      is sent. Put a value that contains a semicolon or a comma in quotation marks, or use \flag{form-string}. The
      option may be repeated.

          garner -F name=Ada -F 'photo=@a.png;type=image/png' a.example
      """#
  ) { invocation, text throws(InvalidValue) in invocation.request.form.append(try FormPart(parsing: text)) }

  static let formString = Flag<Invocation>(
    "form-string", value: "NAME=TEXT", in: .request, scope: .group,
    facts: { .init(also: .content, over: [.field(.contentType)], secrecy: .ofContent($0, isNamed: true)) },
    summary: "Send TEXT as a form part, without interpreting any character of it.",
    details: #"Otherwise like \flag{form}."#
  ) { invocation, text throws(InvalidValue) in invocation.request.form.append(try FormPart(literal: text)) }

  static let upload = Flag<Invocation>(
    "upload-file", short: "T", value: "FILE", completes: .file, in: .request, scope: .group,
    facts: { _ in .init(also: .content, .method) },
    summary: "Upload FILE with PUT.",
    details: """
      `-` or `.` is standard input, which is sent as it arrives. If the path of the URL ends in a slash, the name of
      FILE is appended to it. The option may be repeated, once for each URL; with an empty FILE, nothing is uploaded to
      that URL.
      """
  ) { invocation, text in invocation.request.uploads.append(text) }

  static let get = Flag<Invocation>(
    "get", short: "G", negation: .accepted, in: .request, scope: .group, facts: { _ in .init(also: .method) },
    summary: "Send the data in the query of the URL, with GET.",
    details: #"The data of \flag{data} and similar options is appended to the query that the URL has."#
  ) { invocation, isOn in invocation.request.sendsDataInQuery = isOn }

  static let query = Flag<Invocation>(
    "url-query", value: "DATA", in: .request, scope: .group, facts: { .init(secrecy: .ofQuery($0)) },
    summary: "Add DATA to the query of the URL, percent-encoded.",
    details: #"""
      DATA has the format of \flag{data-urlencode}. After a leading `+`, it is added unchanged. The option may be
      repeated.
      """#
  ) { invocation, text throws(InvalidValue) in
    let part =
      text.bytes.first == ASCII.plus
      ? DataPart(.literal(ArgumentText(text.bytes.dropFirst())), .asIs) : try DataPart(percentEncoding: text)
    invocation.request.query.append(part)
  }
}
