import Meetings
import TestSupport
import Testing

@testable import MeetingServer

@Suite("Route tables")
struct RouteTableTests {
  private static let table = RouteTable<String>([
    Route("GET HEAD", "/", handler: "start"),
    Route("GET", "/things/<id>", rate: .work, "a thing", handler: "read"),
    Route("DELETE", "/things/<id>", rate: .work, handler: "remove"),
    Route("POST", "/things", crossOrigin: .anyOrigin, rate: .work, "makes a thing", handler: "make"),
    Route("GET", "/files/…", "files", handler: "file"), Route("", "/<room>", handler: "room"),
  ])

  /// The handler of a request with the open segments, or the methods that its address takes.
  private func find(_ method: String, _ path: String) -> String {
    switch Self.table.find(method, path.split(separator: "/")) {
    case .found(let route, let segments): ([route.handler] + segments).joined(separator: " ")
    case .wrongMethod(_, let allowed): "only " + allowed.joined(separator: " ")
    case .notFound: "nothing"
    }
  }

  @Test(
    "a request reaches the first route of its path and method",
    arguments: [
      ("GET /", "start"), ("HEAD /", "start"), ("POST /", "only GET HEAD"), ("GET /things/a", "read a"),
      ("DELETE /things/a", "remove a"), ("PUT /things/a", "only GET DELETE"), ("POST /things", "make"),
      ("OPTIONS /things", "make"), ("GET /things", "only POST OPTIONS"), ("GET /files/a/b", "file"),
      ("GET /files", "file"), ("PUT /files/a", "only GET"), ("GET /daily", "room daily"), ("PUT /daily", "room daily"),
      ("GET /daily/x", "nothing"), ("GET /things/a/b", "nothing"),
    ])
  func dispatch(request: String, answer: String) {
    let parts = request.split(separator: " ").map(String.init)
    #expect(find(parts[0], parts[1]) == answer)
  }

  @Test("every request below a path that costs work counts as work")
  func work() {
    for (path, isWork) in [("things/a/b", true), ("things", true), ("files/a", false), ("", false)] {
      #expect(Self.table.isWork(path.split(separator: "/")) == isWork, "\(path)")
    }
  }

  @Test("an address table has a row for each route with a summary")
  func markdown() {
    #expect(
      Self.table.markdown == """
        | request | answer |
        |---|---|
        | `GET /things/<id>` | a thing |
        | `POST /things` | makes a thing |
        | `GET /files/…` | files |

        """)
    #expect(Self.table.firstWords == ["things", "files"])
  }

  @Test("docs/protocol.md has the public port's addresses and the reserved room names")
  func documented() throws {
    let text = try Repository.text(of: "docs/protocol.md")
    let start = try #require(text.range(of: "<!-- generated: parley generate paths -->\n")).upperBound
    let end = try #require(text[start...].range(of: "<!-- end -->")).lowerBound
    #expect(text[start..<end] == PublicPaths.markdown, "run Scripts/generate-docs")
    #expect(RoomName.reserved == Endpoints.reservedNames)
  }
}
