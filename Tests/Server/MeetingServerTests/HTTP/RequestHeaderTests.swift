import Basics
import Testing
import Transport

@testable import MeetingServer

@Suite("Headers of requests")
struct RequestHeaderTests {
  private func request(_ headers: HTTPHeaders) -> HTTPRequest {
    let address = TransportAddress(ip: IPAddress(v4: 0x7F00_0001), port: 1)
    return HTTPRequest(method: "POST", path: "/", headers: headers, remote: address, local: address)
  }

  @Test(
    "a bearer token is read in any case of the scheme, with blanks around it",
    arguments: [
      ("Bearer abc", "abc"), ("bearer abc", "abc"), ("BEARER  abc", "abc"), ("Bearer \t abc \t", "abc"),
      ("Bearer a b", "a b"), ("Bearer ", ""), ("Bearer", nil), ("Basic abc", nil), ("abc", nil), ("", nil),
      ("Bearerabc", nil),
    ] as [(String, String?)])
  func bearer(header: String, token: String?) {
    #expect(request(["Authorization": header]).bearerToken == token)
    #expect(request([:]).bearerToken == nil)
  }

  @Test(
    "a media type is compared without case, parameters and blanks (RFC 9110 8.3.1)",
    arguments: [
      "application/json", "Application/JSON", "application/json;charset=utf-8", "application/json ; charset=utf-8",
      "application/json\t;charset=\"utf-8\"", " application/json ", "application/json;",
    ])
  func mediaType(header: String) throws {
    #expect(request(["Content-Type": header]).mediaType == "application/json")
    var json = request(["Content-Type": header])
    json.body = Array("{}".utf8)
    #expect(try AdminFields.object(of: json, maximumBytes: 100).isEmpty)
  }

  @Test("another media type, or none where one is needed, is refused")
  func otherTypes() {
    for header in ["text/plain", "application/jsonp", "application/json+x", ";application/json", "json", ""] {
      var other = request(["Content-Type": header])
      other.body = Array("{}".utf8)
      #expect(other.mediaType != "application/json")
      #expect(throws: Refusal.self, "\(header)") { try AdminFields.object(of: other, maximumBytes: 100) }
    }
    var none = request([:])
    none.body = Array("{}".utf8)
    #expect(none.mediaType == nil)
    #expect(throws: Refusal.self) { try AdminFields.object(of: none, maximumBytes: 100) }
  }
}
