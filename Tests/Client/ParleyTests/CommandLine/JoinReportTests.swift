import Parley
import Testing

@testable import ParleyCLI

/// What `parley join` says in words.
@Suite struct JoinReportTests {
  @Test("who turns what off or on is said by name")
  func muting() {
    #expect(JoinReport.words(muted: true, .microphone, of: "Ann") == "Ann has turned the microphone off")
    #expect(JoinReport.words(muted: false, .camera, of: "Ann") == "Ann has turned the camera on again")
    #expect(JoinReport.words(muted: true, .screenAudio, of: nil) == "somebody has turned the screen's sound off")
  }
}
