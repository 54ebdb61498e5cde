import OpenTok
import Parley
import TestSupport
import Testing

/// `setEncryptionSecret`: an app that sets a secret is never connected in clear.
@MainActor @Suite(.serialized) struct EncryptionSecretTests {
  @Test("a secret of the wrong length is 6004, and the session doesn't connect")
  func length() throws {
    let book = Notebook()
    let session = try #require(OTSession(apiKey: "100", sessionId: "s", delegate: book))
    for secret in ["", "seven77", String(repeating: "x", count: 257)] {
      var error: OTError?
      session.setEncryptionSecret(secret, error: &error)
      #expect(error?.code == Int(OTSessionErrorCode.OTSessionInvalidEncryptionSecret.rawValue))
      var refusal: OTError?
      session.connect(withToken: "devtoken", error: &refusal)
      #expect(refusal?.code == Int(OTSessionErrorCode.OTSessionInvalidEncryptionSecret.rawValue))
    }
    var error: OTError?
    session.setEncryptionSecret("eight888", error: &error)
    #expect(error == nil)
  }

  @Test("a secret that comes too late ends a session that is in clear, with 1015")
  func late() async throws {
    try await LiveSession.run { live in
      let ann = try await Guest(live)
      #expect(
        ann.code { ann.session.setEncryptionSecret("a long secret", error: $0) }
          == OTSessionErrorCode.OTSessionIllegalState.number)
      try await wait(for: "the end: \(ann.book.lines)") { ann.book.saw("disconnected true") }
    }
  }

  @Test("one secret shares an encrypted session; without it comes 6000, with another 6004")
  func shared() async throws {
    try await LiveSession.run { live in
      func session(_ secret: String?) throws -> (OTSession, Notebook) {
        let book = Notebook()
        let session = try #require(OTSession(apiKey: "100", sessionId: live.id, delegate: book))
        if let secret { session.setEncryptionSecret(secret, error: nil) }
        session.connect(withToken: "devtoken", error: nil)
        return (session, book)
      }
      let (ann, anns) = try session("a long secret")
      try await wait(for: "Ann: \(anns.lines)") { ann.sessionConnectionStatus == .connected }
      let (ben, bens) = try session("a long secret")
      try await wait(for: "Ben: \(bens.lines)") { ben.sessionConnectionStatus == .connected }
      ann.signal(withType: "hello", string: "Ben", connection: nil, error: nil)
      try await wait(for: "the signal: \(bens.lines)") { bens.saw("signal hello Ben from other") }
      for (secret, code) in [
        (nil, OTSessionErrorCode.OTSessionEncryptionSecretMissing),
        ("another secret", OTSessionErrorCode.OTSessionInvalidEncryptionSecret),
      ] {
        let (_, book) = try session(secret)
        try await wait(for: "the failure: \(book.lines)") { !book.lines.isEmpty }
        #expect(book.lines == ["failed \(OTSessionErrorDomain) \(code.rawValue)"])
      }
      ben.disconnect(nil)
      ann.disconnect(nil)
    }
  }

  @Test("a session in clear refuses a secret with 6004; two secrets never meet")
  func mismatch() async throws {
    try await LiveSession.run { live in
      let ann = try await Guest(live)
      let book = Notebook()
      let session = try #require(OTSession(apiKey: "100", sessionId: live.id, delegate: book))
      session.setEncryptionSecret("a long secret", error: nil)
      session.connect(withToken: "devtoken", error: nil)
      try await wait(for: "the failure: \(book.lines)") { !book.lines.isEmpty }
      let code = OTSessionErrorCode.OTSessionInvalidEncryptionSecret.rawValue
      #expect(book.lines == ["failed \(OTSessionErrorDomain) \(code)"])
      try await ann.disconnect()
    }
  }
}
