import Basics
import Media
import Testing

@Suite struct FrameComposerTests {
  private let clock = TestClock(midnight: .zero)

  private func picture(_ number: Int, width: Int = 640, height: Int = 360) throws -> VideoFrame {
    try TestPictureSource(.bars, width: width, height: height, sourceID: UInt8(number), clock: clock)
      .frame(at: .milliseconds(Int64(1_000 + number)))
  }

  @Test(arguments: [1, 2, 3, 4, 9, 16, 25]) func tilesDoNotOverlapAndStayInside(_ count: Int) {
    let tiles = GridLayout(count: count, width: 1280, height: 720, gap: 8).tiles
    #expect(tiles.count == count)
    for (index, tile) in tiles.enumerated() {
      #expect(tile.x >= 0 && tile.y >= 0 && tile.x + tile.width <= 1280 && tile.y + tile.height <= 720)
      #expect(tile.x % 2 == 0 && tile.y % 2 == 0 && tile.width % 2 == 0 && tile.height % 2 == 0)
      for other in tiles.dropFirst(index + 1) {
        #expect(
          tile.x + tile.width <= other.x || other.x + other.width <= tile.x || tile.y + tile.height <= other.y
            || other.y + other.height <= tile.y)
      }
    }
  }

  @Test func nineTilesMakeThreeRows() {
    let tiles = GridLayout(count: 9, width: 1280, height: 720, gap: 8).tiles
    #expect(Set(tiles.map(\.x)).count == 3 && Set(tiles.map(\.y)).count == 3)
    #expect(GridLayout(count: 0, width: 1280, height: 720, gap: 8).tiles.isEmpty)
  }

  @Test(arguments: [1, 3, 9]) func everyPictureIsInItsTile(_ count: Int) throws {
    let composer = try FrameComposer(width: 1280, height: 720)
    let tiles = try (0..<count).map { FrameComposer.Tile(name: "", frame: try picture($0 + 1)) }
    let frame = composer.compose(tiles, time: .milliseconds(77))
    #expect(frame.width == 1280 && frame.height == 720 && frame.time == .milliseconds(77))
    for (number, place) in composer.layout(count: count).tiles.enumerated() {
      let marker = TestPictureMarker.decode(
        frame, x: place.x, y: place.y, width: place.width, height: place.height)
      #expect(marker?.sourceID == UInt8(number + 1), "tile \(number)")
    }
  }

  @Test func whoSpeaksHasABrightBorderAndWhoIsMutedHasAMark() throws {
    let composer = try FrameComposer(width: 640, height: 360)
    let plain = FrameComposer.Tile(name: "Ann", frame: try picture(1))
    var speaking = plain
    speaking.isSpeaking = true
    var muted = plain
    muted.isMuted = true
    let place = composer.layout(count: 1).tiles[0]
    let frames = [plain, speaking, muted].map { composer.compose([$0], time: .zero) }
    func pixel(_ frame: VideoFrame, _ x: Int, _ y: Int) -> Int {
      frame.withPlanes { y0, _, _ in Int(y0[y * frame.yStride + x]) }
    }
    let edge = (place.x + place.width / 2, place.y + 1)
    #expect(pixel(frames[0], edge.0, edge.1) != pixel(frames[1], edge.0, edge.1))
    #expect(difference(frames[0], frames[2]) > 50)
    #expect(
      pixel(frames[1], place.x + place.width / 2, place.y + 40)
        == pixel(frames[0], place.x + place.width / 2, place.y + 40))
  }

  @Test func namesAreWritten() throws {
    let composer = try FrameComposer(width: 640, height: 360)
    let names = [
      "", "Ann", "李小龍", "a name that is far too long for the tile it is written on, and goes on and on and on",
    ]
    let frames = try names.map { composer.compose([.init(name: $0, frame: try picture(1))], time: .zero) }
    for frame in frames.dropFirst() { #expect(difference(frames[0], frame) > 40) }
    let empty = ["", "Ann Lee", "Bob"].map { composer.compose([.init(name: $0, frame: nil)], time: .zero) }
    #expect(difference(empty[1], empty[2]) > 200)
  }

  @Test func oddShapesAndSizesAreHarmless() throws {
    let composer = try FrameComposer(width: 322, height: 182, fit: .letterbox)
    let cropping = try FrameComposer(width: 641, height: 361)
    for (width, height) in [(48, 2_000), (3_000, 40), (49, 33), (1_281, 719)] {
      for composer in [composer, cropping] {
        for count in [1, 2, 7, 40] {
          let frame = VideoFrame(width: width, height: height, time: .zero) { y, u, v in
            y.update(repeating: 100)
            u.update(repeating: 128)
            v.update(repeating: 128)
          }
          let tiles = (0..<count).map {
            FrameComposer.Tile(name: "Name \($0)", frame: frame, isSpeaking: true, isMuted: true)
          }
          #expect(composer.compose(tiles, time: .zero).width == composer.width)
        }
      }
    }
    #expect(composer.compose([], time: .zero).width == 322)
    #expect(throws: MediaError.self) { try FrameComposer(width: 0, height: 9_999_999) }
  }

  private func difference(_ one: VideoFrame, _ two: VideoFrame) -> Int {
    one.withPlanes { a, _, _ in two.withPlanes { b, _, _ in a.indices.count { abs(Int(a[$0]) - Int(b[$0])) > 20 } } }
  }
}
