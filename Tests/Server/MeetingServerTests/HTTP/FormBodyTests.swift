import Testing

@testable import MeetingServer

@Suite("Form bodies")
struct FormBodyTests {
  @Test("raw and encoded values are equal, names ignore case, and bad escapes are literal")
  func lenient() {
    let form = FormBody("MeetingUrl=http://h:1/a=b&x=a%2fb+c%2B&broken=50%&half=%4&bad=%zz&empty=&flag")
    #expect(form["meetingurl"] == "http://h:1/a=b")
    #expect(form["X"] == "a/b c+")
    #expect(form["broken"] == "50%")
    #expect(form["half"] == "%4")
    #expect(form["bad"] == "%zz")
    // An empty field is as absent.
    #expect(form["empty"] == nil && form.contains("empty"))
    #expect(form["flag"] == nil && form.contains("Flag") && !form.contains("missing"))
    #expect(form["missing"] == nil)
    #expect(FormBody("a=1&a=2")["a"] == "1")
    #expect(form.repeated == nil && FormBody("a=1&b=2&A=1").repeated == "A")
  }

  @Test("threat 27: a field or parameter given twice is refused by name at every endpoint")
  func twice() async throws {
    try await TestServer.run { server in
      let openTok = try await OpenTokServer(server)
      for (path, body, key) in [
        ("/GetAdhocMeetingJob", "Subject=a&subject=b", "code"),
        ("/GetAnonTokenJob", "MeetingUrl=a&ApplicationSessionId=b&MeetingUrl=a", "code"),
        ("/signin/token", "code=a&code=b", "code"), ("/session/create", "location=&location=", "error"),
      ] {
        let answer = try await server.post(
          path, body, headers: ["X-OPENTOK-AUTH": try openTok.jwt(), "Accept": "application/json"])
        #expect(answer.status == 400 && answer[key] as? String == "badBody", "\(path): \(answer.text)")
        #expect(answer.text.contains("twice"), "\(path): \(answer.text)")
      }
      for path in [
        "/discover?anonymousMeetingJoinContext=a&anonymousMeetingJoinContext=b", "/signin?room=a&Room=b",
        "/signin/callback?state=a&state=b", "/api/v1/meetings/daily?jwt=a&jwt=b",
      ] {
        let answer = try await server.get(path)
        #expect(answer.status == 400 && answer["code"] as? String == "badParameter", "\(path): \(answer.text)")
      }
    }
  }

  @Test("bytes that aren't UTF-8 fail as a body and are replaced in a value")
  func bounds() {
    #expect(FormBody(bytes: [0xFF]) == nil)
    #expect(FormBody("a=%ff")["a"] == "\u{FFFD}")
    let many = FormBody((0..<1_000).map { "f\($0)=1" }.joined(separator: "&"))
    #expect(many["f0"] == "1")
    #expect(many["f999"] == nil)
  }

  @Test("threat 27: endless combining marks in a body are refused, encoded ones ignored")
  func endlessMarks() {
    let marks = "\u{300}\u{316}"
    let encoded = String(repeating: "%CC%80%cc%96", count: 10_000)
    #expect(FormBody(bytes: Array("a=1&b=\(String(repeating: marks, count: 60_000))".utf8)) == nil)
    let form = FormBody(bytes: Array("Subject=\(encoded)&\(encoded)=1&a=e%CC%81".utf8))
    #expect(form?["Subject"] == nil && form?["a"] == "e\u{301}")
  }
}
