import Testing

@testable import Parley
@testable import ParleyCLI

/// The words of `parley join`.
@Suite struct JoinReportTests {
  @Test("mutes by a host or the person are reported by name")
  func muting() {
    #expect(JoinReport.words(muted: true, .microphone, of: "Ann") == "Ann has turned the microphone off")
    #expect(JoinReport.words(muted: false, .camera, of: "Ann") == "Ann has turned the camera on again")
    #expect(JoinReport.words(muted: true, .screenAudio, of: nil) == "somebody has turned the screen's sound off")
  }

  @Test("the safety code is said in groups, and a join that fails for encryption says so")
  @MainActor func encryption() throws {
    let meeting = try Meeting("http://localhost/r")
    let code = "012345678901234567890123456789"
    #expect(
      JoinReport.words(MeetingEncryption(.encrypted, safetyCode: code), in: meeting)
        == "end-to-end encrypted; the safety code, the same for everybody here, is 01234 56789 01234 56789 01234 56789")
    #expect(JoinReport.words(MeetingEncryption(.waiting), in: meeting) == "waiting for the keys")
    #expect(JoinReport.words(MeetingEncryption(.refused), in: meeting).contains("not joined"))
  }

  @Test("a participant under another name is told by their old name, a guest not at all")
  func recognitions() {
    func words(_ recognition: ParticipantIdentity.Recognition?, _ earlier: String? = nil) -> String? {
      RecognitionReport.words(
        ParticipantIdentity(publicKey: [], recognition: recognition, earlierName: earlier), of: "Ben")
    }
    #expect(words(.renamed, "Benny") == "Ben is on the device that you know as “Benny”")
    #expect(words(.sameDevice) == "Ben is on the same device as in an earlier meeting")
    #expect([words(.newDevice), words(.changed), words(nil)] == [nil, nil, nil])
  }
}
