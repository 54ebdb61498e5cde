import Basics
import RTC
import Testing

@Suite("Session descriptions, RFC 8866 and RFC 9429")
struct SessionDescriptionTests {
  @Test("a written description reads back as the same value", arguments: Offers.all)
  func roundTrip(named: Offers.Named) throws {
    let offer = named.text
    let first = try SessionDescription(parsing: offer)
    let second = try SessionDescription(parsing: first.text)
    #expect(first == second)
    #expect(first.text == second.text)
  }

  @Test("LF and CR LF line ends read alike, RFC 8866 section 5", arguments: Offers.all)
  func lineEnds(named: Offers.Named) throws {
    let offer = named.text
    let windows = offer.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\r\n")
    #expect(try SessionDescription(parsing: offer) == SessionDescription(parsing: windows))
  }

  @Test("a Chromium offer is understood line by line")
  func chromium() throws {
    let offer = try SessionDescription(parsing: Offers.chromiumSlots)
    #expect(offer.bundle.map(\.rawValue) == ["0", "1", "2", "3"])
    #expect(offer.allowsMixedExtensions)
    #expect(offer.media.map(\.direction) == [.sendonly, .sendonly, .recvonly, .recvonly])
    let audio = offer.media[0]
    #expect(audio.candidates.count == 2 && audio.setup == .actpass && audio.hasReducedSizeRTCP)
    #expect(audio.fingerprints.first?.digest.count == 32)
    #expect(audio.codecs.first?.parameters?["useinbandfec"] == "1")
    #expect(audio.codecs.first?.feedback == ["transport-cc"])
    #expect(audio.sources.count == 1 && audio.sources[0].streamID == audio.streamIDs.first)
    let video = offer.media[1]
    #expect(video.rids.map(\.id.rawValue) == ["q", "h", "f"])
    #expect(video.simulcast?.send.map { $0[0].rid.rawValue } == ["q", "h", "f"])
    #expect(video.extensions.contains { $0.id == 10 && HeaderExtensionKind(uri: $0.uri) == .rid })
  }

  // So do bundle-only slots.
  @Test("Firefox's session-level fingerprint applies to the sections (RFC 9143 6)")
  func firefox() throws {
    let offer = try SessionDescription(parsing: Offers.firefox)
    #expect(offer.media.allSatisfy { $0.fingerprints.count == 1 && $0.iceOptions == ["trickle"] })
    #expect(offer.media[2].port == 0 && offer.media[2].isBundleOnly && !offer.media[2].isStopped)
    #expect(offer.media[0].extensions[1].direction == .recvonly)
    #expect(offer.media[3].codecs.allSatisfy { $0.feedback == ["nack", "nack pli"] })
  }

  @Test("unknown lines and attributes are ignored")
  func unknown() throws {
    let text = OfferText([OfferText.audio()]).text
    let more =
      text.replacing("s=-\n", with: "s=-\ni=hello\nb=AS:500\na=what:ever\na=flag\n") + "a=x-mine:1\nk=clear:2\n"
    #expect(try SessionDescription(parsing: more) == SessionDescription(parsing: text))
  }

  // The error has the expected form, too.
  @Test(
    "a malformed line that a connection needs is refused with its number",
    arguments: [
      ("a=ice-ufrag:abcd", "a=ice-ufrag:abc", 6), ("a=ice-ufrag:abcd", "a=ice-ufrag:ab cd", 6),
      ("a=ice-pwd:passwordpasswordpassword", "a=ice-pwd:tooshort", 7),
      ("a=setup:actpass", "a=setup:both", 9), ("a=mid:0", "a=mid:01234567890123456", 12),
      ("a=mid:0", "a=mid:", 12), ("m=audio 9 ", "m=audio 70000 ", 10), ("m=audio 9 ", "m=audio x ", 10),
      ("SAVPF 111", "SAVPF 128", 10), ("SAVPF 111", "SAVPF opus", 10),
      ("a=fingerprint:sha-256 ", "a=fingerprint:sha-256 A", 8),
      ("s=-", "nonsense", 3), ("v=0", "v=1", 1), ("o=- 1 2 IN IP4 127.0.0.1", "o=- x 2 IN IP4 127.0.0.1", 2),
    ])
  func malformed(good: String, bad: String, line: Int) {
    let text = OfferText([OfferText.audio()]).text
    #expect(text.contains(good))
    do {
      _ = try SessionDescription(parsing: text.replacing(good, with: bad))
      Issue.record("\(bad) was accepted")
    } catch {
      guard case .malformed(line, _) = error else {
        Issue.record("\(bad): \(error)")
        return
      }
    }
  }

  @Test("an empty text, and one without an origin, are refused")
  func empty() {
    for text in ["", "\n", "\r\n", "v=0\n", "v=0\ns=-\n"] {
      #expect(throws: SDPError.self) { try SessionDescription(parsing: text) }
    }
  }

  @Test("secrets do not print")
  func secrets() throws {
    let offer = try SessionDescription(parsing: Offers.chromiumSlots)
    let password = try #require(offer.media[0].icePassword?.value)
    var dumped = ""
    dump(offer, to: &dumped)
    #expect(!dumped.contains(password) && !"\(offer)".contains(password))
  }
}
