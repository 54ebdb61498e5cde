import Parley
import ParleyViews
import Testing

/// A picture whose left half is red and whose right half is blue.
func redAndBlue(width: Int = 64, height: Int = 32) throws -> VideoFrame {
  var pixels: [UInt8] = []
  for _ in 0..<height {
    for column in 0..<width { pixels += column < width / 2 ? [0, 0, 255, 255] : [255, 0, 0, 255] }
  }
  return try VideoFrame(converting: pixels, format: .bgra, width: width, height: height, time: MonotonicClock.now)
}

/// Whether a pixel is mostly of one colour: video has fewer colours than the screen.
func isMostly(_ color: UIColor?, red: Bool = false, green: Bool = false, blue: Bool = false) -> Bool {
  guard let color else { return false }
  var (r, g, b): (CGFloat, CGFloat, CGFloat) = (0, 0, 0)
  color.getRed(&r, green: &g, blue: &b, alpha: nil)
  return (r > 0.6) == red && (g > 0.6) == green && (b > 0.6) == blue
}

/// Whether there is a line across of that many dark points somewhere in a picture, as a hyphen is in large letters.
func hasDash(_ picture: UIImage, _ length: Int = 7) -> Bool {
  for y in 0..<Int(picture.size.height) {
    var run = 0
    for x in 0..<Int(picture.size.width) {
      run = isMostly(picture.color(x: x, y: y)) ? run + 1 : 0
      if run == length { return true }
    }
  }
  return false
}

@MainActor
@Suite struct SnapshotTests {
  @Test func aLongWordIsBrokenWithoutAHyphen() throws {
    let label = UILabel(frame: CGRect(x: 0, y: 0, width: 100, height: 200))
    label.backgroundColor = .white
    label.textColor = .black
    label.font = .systemFont(ofSize: 30)
    label.numberOfLines = 0
    // Letters without a stroke across.
    label.text = String(repeating: "l", count: 40)
    #expect(label.sizeThatFits(CGSize(width: 100, height: 0)).height > 2 * label.font.lineHeight)
    #expect(!hasDash(try label.snapshot()))
    label.text = "l-l"
    #expect(hasDash(try label.snapshot()))
  }

  @Test func aSnapshotShowsBackgroundsOrderAndOpacity() throws {
    let root = UIView(frame: CGRect(x: 0, y: 0, width: 100, height: 50))
    root.backgroundColor = .red
    let front = UIView(frame: CGRect(x: 50, y: 0, width: 50, height: 50))
    front.backgroundColor = .blue
    let hidden = UIView(frame: root.bounds)
    hidden.backgroundColor = .green
    hidden.isHidden = true
    root.addSubview(front)
    root.addSubview(hidden)
    let picture = try root.snapshot()
    #expect(picture.size == CGSize(width: 100, height: 50))
    #expect(picture.color(x: 10, y: 10) == .red)
    #expect(picture.color(x: 60, y: 10) == .blue)
    front.alpha = 0.5
    let seen = try root.snapshot().color(x: 60, y: 10)
    let mixed = try #require(seen)
    #expect(mixed != .red && mixed != .blue)
  }

  @Test func aTileShowsAFrameFittedFilledAndMirrored() throws {
    let tile = VideoView(frame: CGRect(x: 0, y: 0, width: 100, height: 100))
    tile.show(try redAndBlue())
    #expect(tile.frameCount == 1)
    let fitted = try tile.snapshot()
    #expect(isMostly(fitted.color(x: 25, y: 50), red: true))
    #expect(isMostly(fitted.color(x: 75, y: 50), blue: true))
    #expect(isMostly(fitted.color(x: 50, y: 10)))
    tile.scaling = .fill
    let filled = try tile.snapshot()
    #expect(isMostly(filled.color(x: 25, y: 5), red: true))
    tile.isMirrored = true
    let mirrored = try tile.snapshot()
    #expect(isMostly(mirrored.color(x: 25, y: 5), blue: true))
  }

  @Test func textIsDrawnAndMeasured() throws {
    let label = UILabel(frame: CGRect(x: 0, y: 0, width: 200, height: 30))
    label.text = "Parley"
    label.backgroundColor = .white
    label.textColor = .black
    let picture = try label.snapshot()
    let dark = (0..<200).contains { x in (0..<30).contains { y in isMostly(picture.color(x: x, y: y)) } }
    #expect(dark)
    let one = label.sizeThatFits(.zero)
    label.numberOfLines = 0
    let narrow = label.sizeThatFits(CGSize(width: one.width / 2, height: 0))
    #expect(narrow.height > one.height)
  }

  @Test func aPictureSurvivesItsFile() throws {
    let view = UIView(frame: CGRect(x: 0, y: 0, width: 8, height: 4))
    view.backgroundColor = UIColor(red: 1, green: 0, blue: 0, alpha: 1)
    let picture = try view.snapshot()
    let data = try #require(picture.pngData())
    let image = try #require(UIImage(data: data))
    #expect(image.size == CGSize(width: 8, height: 4))
    #expect(image.color(x: 3, y: 3) == .red)
    #expect(UIImage(data: data.prefix(40)) == nil)
    #expect(UIImage(data: Data([1, 2, 3])) == nil)
  }

  @Test func aViewWithoutASizeHasNoPicture() {
    #expect(throws: ViewError.self) { _ = try UIView().snapshot() }
  }
}
