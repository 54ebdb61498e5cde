import Meetings
import Testing

@Suite("Web origins (RFC 6454)")
struct WebOriginTests {
  @Test("paths are trimmed, hosts and schemes lowered, default ports left out")
  func canonical() {
    #expect(WebOrigin("http://localhost/")?.description == "http://localhost")
    #expect(WebOrigin("HTTPS://App.Example.com:443/a?b#c")?.description == "https://app.example.com")
    #expect(WebOrigin("http://[::1]:8080/x")?.description == "http://[::1]:8080")
    #expect(WebOrigin("http://h:0") == nil)
    #expect(WebOrigin("http://h:65536") == nil)
  }

  @Test(
    "what is no http(s) origin is refused",
    arguments: ["", "*", "null", "ftp://h", "http://", "http://u@h", "http://a b", "//h", "h"])
  func refused(_ text: String) { #expect(WebOrigin(text) == nil) }

  @Test("a list has semicolons; a bad entry, none or over 32 refuse the whole of it")
  func lists() {
    #expect(WebOrigin.list(" https://a/ ;http://b;;https://a")?.map(\.description) == ["https://a", "http://b"])
    #expect(WebOrigin.list("https://a;nonsense") == nil)
    #expect(WebOrigin.list("") == nil)
    #expect(WebOrigin.list(" ; ") == nil)
    #expect(WebOrigin.list((0..<33).map { "https://h\($0)" }.joined(separator: ";")) == nil)
  }
}
