// Times by Core Foundation's and Core Media's names.
import CoreMedia
import OpenTok
import QuartzCore

class FrameClock {
  private let start: CFTimeInterval = CACurrentMediaTime()
  let made: CFAbsoluteTime = CFAbsoluteTimeGetCurrent()
  var elapsed: CFTimeInterval { CACurrentMediaTime() - start }

  static func next(_ time: CMTime, framesPerSecond: Int32) -> CMTime {
    CMTimeAdd(time, CMTimeMake(value: 1, timescale: framesPerSecond))
  }
  static func between(_ one: CMTime, _ other: CMTime) -> Double { CMTimeGetSeconds(CMTimeSubtract(other, one)) }
}
