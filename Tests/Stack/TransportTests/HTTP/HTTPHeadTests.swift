import Testing

@testable import Transport

@Suite("Heads of requests")
struct HTTPHeadTests {
  private func parse(_ text: String, pieces: Int = .max, limit: Int = 16 << 10) -> HTTPHeadParser {
    var parser = HTTPHeadParser(limit: limit, isAmbiguous: AmbiguousNames.contains)
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let piece = Array(rest.prefix(pieces))
      parser.parse(piece.span)
      rest = rest.dropFirst(pieces)
    }
    return parser
  }

  @Test(
    "a head is read the same in one piece and in many, and nothing behind it is taken", arguments: [Int.max, 1, 2, 7])
  func whole(pieces: Int) {
    let text =
      "POST /a?b=%0c HTTP/1.1\r\nHost: x\r\nContent-Length:\t3 \r\nX-Own:a : b\t\r\nx-own: \u{E9}\r\nCookie: a=1\r\n"
      + "cookie: b=2\r\nOrigin:\r\n!#$%&'*+-.^_`|~09: z\r\n\r\n"
    let parser = parse(text + "abc\u{0}", pieces: pieces)
    #expect(parser.state == .complete && parser.count == text.utf8.count)
    #expect(parser.head.method == "POST" && parser.head.target == "/a?b=%0c" && parser.head.version == "HTTP/1.1")
    #expect(
      parser.head.headers
        == [
          "host": "x", "content-length": "3", "x-own": "a : b, \u{E9}", "cookie": "a=1; b=2",
          "!#$%&'*+-.^_`|~09": "z",
        ])
  }

  // In one piece and in many.
  @Test(
    "threat 37: heads that readers could read differently are malformed",
    arguments: [
      ("Transfer-Encoding : chunked\r\n", .spaceBeforeColon), ("Transfer-Encoding\t: chunked\r\n", .spaceBeforeColon),
      (" X: 1\r\n", .foldedLine), ("\tX: 1\r\n", .foldedLine), ("X-Own: 1\r\n more\r\n", .foldedLine),
      ("X-A: 1\n", .bareLineBreak), ("X-A: 1\rX-B: 2\r\n", .bareLineBreak), ("X-A: 1\r\r\n", .bareLineBreak),
      ("X-A: \u{0}\r\n", .controlCharacter), ("X-A: \u{1B}\r\n", .controlCharacter),
      ("X-A: \u{7F}\r\n", .controlCharacter), ("X\u{1}: 1\r\n", .controlCharacter),
      (": 1\r\n", .fieldName), ("X(A): 1\r\n", .fieldName), ("X-\u{E9}: 1\r\n", .fieldName), ("X-A\r\n", .fieldName),
      ("GET / HTTP/1.1\r\n", .fieldName), ("X A: 1\r\n", .fieldName),
      ("Content-Length: 1\r\nContent-Length: 2\r\n", .repeated("Content-Length")),
      ("Content-Length: 1\r\ncontent-length: 1\r\n", .repeated("content-length")),
      ("Transfer-Encoding: a\r\nTransfer-Encoding: b\r\n", .repeated("Transfer-Encoding")),
      ("Content-Length: 1\r\nTransfer-Encoding: chunked\r\n", .lengthAndEncoding),
      ("Transfer-Encoding: chunked\r\nContent-Length:\r\n", .lengthAndEncoding),
      ("Host: y\r\n", .repeated("Host")), ("host: x\r\n", .repeated("host")),
      ("X: 1\r\n", .ambiguousName("X")), ("Acc: 1\r\n", .ambiguousName("Acc")), ("Get: 1\r\n", .ambiguousName("Get")),
    ] as [(String, HTTPHeadFault)])
  func malformed(line: String, fault: HTTPHeadFault) {
    for pieces in [Int.max, 1] {
      #expect(parse("GET / HTTP/1.1\r\nHost: x\r\n\(line)\r\n", pieces: pieces).state == .malformed(fault), "\(pieces)")
    }
  }

  @Test(
    "threat 37: a host is a name or an address, with or without a port",
    arguments: [
      ("example.org", true), ("example.org:8080", true), ("127.0.0.1:1", true), ("[fd00::1]", true),
      ("[::1]:8080", true),
      ("m\u{FC}nchen.example", true), ("_sip.example:", true), ("", true),
      ("a b", false), ("a\tb", false), ("me@example.org", false), ("example.org/a", false), ("a?b", false),
      ("a#b", false), ("a\\b", false), ("[::1", false), ("::1", false), ("[::1]x", false), ("a:b", false),
      ("a:80:80", false), ("<a>", false), ("\"a\"", false),
    ])
  func host(text: String, isHost: Bool) {
    let state = parse("GET / HTTP/1.1\r\nHost: \(text)\r\n\r\n").state
    #expect(state == (isHost ? .complete : .malformed(.badHost)))
  }

  // In any spelling; HTTP/1.1 names a host.
  @Test("threat 37: a request line has three parts and no line break")
  func requestLine() {
    for line in [
      "", " GET / HTTP/1.1", "GET  / HTTP/1.1", "GET / HTTP/1.1 ", "GET /", "GET\t/\tHTTP/1.1", "G(T / HTTP/1.1",
      "GET / http/1.1",
      "GET /a%0A HTTP/1.1", "GET /a%0d HTTP/1.1", "GET /?a=%00 HTTP/1.1", "GET /\u{7F} HTTP/1.1", "GET /a#b HTTP/1.1",
    ] {
      guard case .malformed = parse("\(line)\r\nHost: x\r\n\r\n").state else {
        Issue.record("\(line)")
        continue
      }
    }
    #expect(parse("GET / HTTP/1.1\r\n\r\n").state == .malformed(.noHost))
    #expect(parse("GET / HTTP/1.0\r\n\r\n").state == .complete)
    #expect(parse("GET / HTTP/1.1\r\nHost:\r\n\r\n").state == .complete)
    #expect(parse("GET / HTTP/1.1\r\nHost: x\r\n\r\n", limit: 27).state == .complete)
    #expect(parse("GET / HTTP/1.1\r\nHost: x\r\n\r\n", limit: 26).state == .malformed(.tooLong(limit: 26)))
    #expect(parse("GE").method == nil && parse("GET ").method == "GET")
  }
}
