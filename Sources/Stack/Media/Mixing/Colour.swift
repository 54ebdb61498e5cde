/// A colour in the space of ``VideoFrame``: BT.601, limited range, as numbers from 0 to 255 that may be mixed.
struct Colour: Hashable, Sendable {
  /// Y, U and V.
  var yuv: SIMD3<Float>

  /// From 0xRRGGBB, as designers write it.
  init(_ rgb: UInt32) {
    self.init(
      red: Float(rgb >> 16 & 0xFF) / 255, green: Float(rgb >> 8 & 0xFF) / 255, blue: Float(rgb & 0xFF) / 255)
  }

  /// From components between 0 and 1.
  init(red: Float, green: Float, blue: Float) {
    yuv = SIMD3(
      16 + 65.481 * red + 128.553 * green + 24.966 * blue,
      128 - 37.797 * red - 74.203 * green + 112 * blue,
      128 + 112 * red - 93.786 * green - 18.214 * blue)
  }

  private init(yuv: SIMD3<Float>) { self.yuv = yuv }

  /// The colour `fraction` of the way to `other`.
  func mixed(with other: Colour, _ fraction: Float) -> Colour { Colour(yuv: yuv + (other.yuv - yuv) * fraction) }

  /// Brighter (above 1) or darker (below 1), keeping its hue.
  func lit(_ factor: Float) -> Colour {
    Colour(
      yuv: SIMD3(16 + (yuv.x - 16) * factor, 128 + (yuv.y - 128) * factor, 128 + (yuv.z - 128) * factor)
        .clamped(lowerBound: SIMD3(16, 16, 16), upperBound: SIMD3(235, 240, 240)))
  }

  var y: UInt8 { UInt8(max(0, min(255, yuv.x + 0.5))) }
  var u: UInt8 { UInt8(max(0, min(255, yuv.y + 0.5))) }
  var v: UInt8 { UInt8(max(0, min(255, yuv.z + 0.5))) }
}
