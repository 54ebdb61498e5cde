import Basics
import Parley
import Testing

@testable import ParleyCLI

@Suite("The size of a recorded picture")
struct RecordedPicturesTests {
  private func frame(_ width: Int, _ height: Int, _ milliseconds: Int64 = 0) -> VideoFrame {
    VideoFrame(width: width, height: height, time: .milliseconds(milliseconds)) { y, u, v in
      y.update(repeating: 16)
      u.update(repeating: 128)
      v.update(repeating: 128)
    }
  }

  @Test("a camera whose smallest layer comes first is recorded at the size of its largest")
  func layers() {
    var pictures = RecordedPictures(longerSide: 1_280)
    let began = [frame(320, 180), frame(640, 360, 500), frame(1_280, 720, 900)].map { pictures.take($0) }
    #expect(began == [false, false, true])
    #expect(pictures.size.map { [$0.width, $0.height] } == [1_280, 720])
    let waited = pictures.takeAll()
    #expect(waited.map(\.width) == [320, 640, 1_280] && pictures.waiting.isEmpty)
    pictures = RecordedPictures(longerSide: 1_280)
    let isLarge = pictures.take(frame(1_920, 1_080))
    #expect(isLarge && pictures.size.map { [$0.width, $0.height] } == [1_920, 1_080])
  }

  @Test(
    "what stays small gets a file that what comes later fits into, in its own shape",
    arguments: [
      (320, 180, 1_280, 720), (180, 320, 720, 1_280), (640, 480, 1_280, 960), (2, 2, 1_280, 1_280),
      (426, 240, 1_280, 720),
    ])
  func small(width: Int, height: Int, toWidth: Int, toHeight: Int) throws {
    var pictures = RecordedPictures(longerSide: 1_280)
    let began = (0..<RecordedPictures.mostWaiting).map { pictures.take(frame(width, height, Int64($0))) }
    #expect(began.firstIndex(of: true) == RecordedPictures.mostWaiting - 1)
    let size = try #require(pictures.size)
    #expect(abs(size.width - toWidth) <= 2 && abs(size.height - toHeight) <= 2, "\(size)")
  }

  @Test("video that hardly moves is waited for 2 s at most; a raw file has what came")
  func slow() {
    var pictures = RecordedPictures(longerSide: 0)
    #expect(pictures.size == nil)
    let began = [frame(641, 361), frame(640, 360, 1_999), frame(640, 360, 2_000)].map { pictures.take($0) }
    #expect(began == [false, false, true])
    #expect(pictures.size.map { [$0.width, $0.height] } == [640, 360])
  }
}
