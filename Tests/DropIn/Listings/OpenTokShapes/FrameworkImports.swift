// Import lines of the frameworks that samples name.
import AVFoundation
import AudioToolbox
import CallKit
import CoreGraphics
import CoreMedia
import CoreVideo
import OpenTok
import PushKit
import QuartzCore

enum Frameworks {
  static func lock(_ buffer: CVPixelBuffer) -> CMTime {
    CVPixelBufferLockBaseAddress(buffer, CVPixelBufferLockFlags(rawValue: CVOptionFlags(0)))
    CVPixelBufferUnlockBaseAddress(buffer, [])
    return CMTimeMakeWithSeconds(CACurrentMediaTime(), preferredTimescale: 1000)
  }
}
