import Foundation
import ParleyViews
import Testing

/// Names of Apple's other frameworks, scenes, and screens that present before they have a parent.
@MainActor @Suite(.serialized) struct FrameworkTests {
  private func image(_ colors: [UIColor], width: Int) throws -> CGImage {
    UIGraphicsBeginImageContext(CGSize(width: width, height: colors.count / width))
    defer { UIGraphicsEndImageContext() }
    let context = try #require(UIGraphicsGetCurrentContext())
    for (index, color) in colors.enumerated() {
      var (red, green, blue, alpha) = (CGFloat(0), CGFloat(0), CGFloat(0), CGFloat(0))
      color.getRed(&red, green: &green, blue: &blue, alpha: &alpha)
      context.setFillColor(red: red, green: green, blue: blue, alpha: alpha)
      context.fill(CGRect(x: index % width, y: index / width, width: 1, height: 1))
    }
    return try #require(UIGraphicsGetImageFromCurrentImageContext()?.cgImage)
  }

  @Test("drawings are upright in UIKit's and in Core Graphics' coordinates")
  func drawing() throws {
    let two = try image([.red, .blue], width: 1)
    #expect(UIImage(cgImage: two).color(x: 0, y: 0) == UIColor(red: 1, green: 0, blue: 0, alpha: 1))
    UIGraphicsBeginImageContextWithOptions(CGSize(width: 4, height: 4), false, 1)
    UIImage(cgImage: two).draw(in: CGRect(x: 0, y: 0, width: 4, height: 4))
    let upright = try #require(UIGraphicsGetImageFromCurrentImageContext())
    UIGraphicsEndImageContext()
    #expect(upright.color(x: 1, y: 0) == UIColor(red: 1, green: 0, blue: 0, alpha: 1))
    #expect(upright.color(x: 1, y: 3) == UIColor(red: 0, green: 0, blue: 1, alpha: 1))
    // Over memory of one's own the first row in memory is the picture's first row.
    var memory = [UInt8](repeating: 0, count: 16)
    let context = CGContext(
      data: &memory, width: 2, height: 2, bitsPerComponent: 8, bytesPerRow: 8, space: CGColorSpaceCreateDeviceRGB(),
      bitmapInfo: CGImageAlphaInfo.premultipliedFirst.rawValue | CGBitmapInfo.byteOrder32Little.rawValue)
    context?.draw(two, in: CGRect(x: 0, y: 0, width: 2, height: 2))
    let rows = withExtendedLifetime(context) { (Array(memory[0..<4]), Array(memory[8..<12])) }
    #expect(rows.0 == [0, 0, 255, 255] && rows.1 == [255, 0, 0, 255])
    // Half of red over grey.
    let half = try image([UIColor(red: 1, green: 0, blue: 0, alpha: 0.5)], width: 1)
    memory = [100, 100, 100, 255, 9, 9, 9, 9]
    let over = CGContext(
      data: &memory, width: 2, height: 1, bitsPerComponent: 8, bytesPerRow: 8, space: CGColorSpaceCreateDeviceRGB(),
      bitmapInfo: CGImageAlphaInfo.premultipliedFirst.rawValue | CGBitmapInfo.byteOrder32Little.rawValue)
    over?.draw(half, in: CGRect(x: 0, y: 0, width: 1, height: 1))
    #expect(withExtendedLifetime(over) { memory } == [50, 50, 177, 255, 9, 9, 9, 9])
    var grey = [UInt8](repeating: 7, count: 4)
    CGContext(
      data: &grey, width: 2, height: 2, bitsPerComponent: 8, bytesPerRow: 2, space: CGColorSpaceCreateDeviceGray(),
      bitmapInfo: CGImageAlphaInfo.none.rawValue)?.draw(two, in: CGRect(x: 0, y: 0, width: 1, height: 1))
    #expect(grey[0] == 7 && grey[1] == 7 && grey[3] == 7 && grey[2] != 7)
  }

  @Test("a context that can't be is nil, and drawing without a current one does nothing")
  func noContext() {
    #expect(UIGraphicsGetCurrentContext() == nil && UIGraphicsGetImageFromCurrentImageContext() == nil)
    UIGraphicsBeginImageContext(.zero)
    #expect(UIGraphicsGetCurrentContext() == nil)
    UIGraphicsEndImageContext()
    UIGraphicsEndImageContext()
    for (width, height, stride) in [(0, 1, 4), (1, 1, 2), (1, 99_999, 4)] {
      let context = CGContext(
        data: nil, width: width, height: height, bitsPerComponent: 8, bytesPerRow: stride,
        space: CGColorSpaceCreateDeviceRGB(), bitmapInfo: CGImageAlphaInfo.premultipliedLast.rawValue)
      #expect(context == nil)
    }
    #expect(!UIView(frame: CGRect(x: 0, y: 0, width: 1, height: 1)).drawHierarchy(in: .zero, afterScreenUpdates: true))
  }

  @Test("a picture by a literal that is not there is one that is not seen")
  func literal() {
    let image: UIImage = #imageLiteral(resourceName: "nothing of this name")
    #expect(image.size == CGSize(width: 1, height: 1) && image.color(x: 0, y: 0) == .clear)
  }

  @Test("an alert presented before its screen had a parent is seen and dismissed")
  func earlyAlert() {
    let (screen, parent) = (UIViewController(), UIViewController())
    var answers: [String] = []
    let alert = UIAlertController(title: "Error", message: nil, preferredStyle: .alert)
    alert.addAction(UIAlertAction(title: "Ok", style: .default) { _ in answers.append("ok") })
    screen.loadViewIfNeeded()
    screen.present(alert, animated: true)
    parent.addChild(screen)
    parent.view.addSubview(screen.view)
    screen.didMove(toParent: parent)
    let window = UIWindow(frame: CGRect(x: 0, y: 0, width: 320, height: 480))
    window.rootViewController = parent
    window.makeKeyAndVisible()
    defer { window.close() }
    #expect(alert.view.window === window)
    screen.dismiss(animated: true)
    #expect(screen.presentedViewController == nil && alert.view.window == nil)
    #expect(UIApplication.shared.alerts.isEmpty)
    // The next one is the parent's, and is answered as ever.
    screen.present(alert, animated: true)
    alert.choose(alert.actions[0])
    #expect(answers == ["ok"] && UIApplication.shared.alerts.isEmpty && alert.view.window == nil)
  }

  @Test("an audio unit hands over 10 ms at a time, or silence without a microphone")
  func audioUnit() async throws {
    final class Count: @unchecked Sendable {
      let lock = NSLock()
      var unit: AudioUnit?
      var frames: [UInt32] = []
      var sum = 0
    }
    let count = Count()
    var description = AudioComponentDescription()
    description.componentType = kAudioUnitType_Output
    let component = try #require(AudioComponentFindNext(nil, &description))
    #expect(AudioComponentInstanceNew(component, &count.unit) == noErr)
    let unit = try #require(count.unit)
    var format = AudioStreamBasicDescription()
    (format.mFormatID, format.mBitsPerChannel, format.mChannelsPerFrame) = (kAudioFormatLinearPCM, 16, 1)
    let size = UInt32(MemoryLayout<AudioStreamBasicDescription>.size)
    #expect(AudioUnitSetProperty(unit, kAudioUnitProperty_StreamFormat, 0, 0, &format, size) != noErr)
    format.mSampleRate = 48_000
    #expect(AudioUnitSetProperty(unit, kAudioUnitProperty_StreamFormat, 0, 0, &format, size) == noErr)
    let (told, tell) = AsyncStream.makeStream(of: UInt32.self)
    var callback = AURenderCallbackStruct(
      inputProc: { @Sendable object, flags, time, bus, frames, _ in
        let count = Unmanaged<Count>.fromOpaque(object).takeUnretainedValue()
        var samples = [Int16](repeating: 9, count: Int(frames))
        samples.withUnsafeMutableBytes { bytes in
          var list = AudioBufferList(
            mBuffers: AudioBuffer(mNumberChannels: 1, mDataByteSize: UInt32(bytes.count), mData: bytes.baseAddress))
          if let unit = count.unit { _ = AudioUnitRender(unit, flags, time, bus, frames, &list) }
        }
        count.lock.withLock { count.sum += samples.count }
        tell.yield(frames)
        return noErr
      }, inputProcRefCon: Unmanaged.passUnretained(count).toOpaque())
    let length = UInt32(MemoryLayout<AURenderCallbackStruct>.size)
    #expect(AudioUnitSetProperty(unit, kAudioOutputUnitProperty_SetInputCallback, 0, 1, &callback, length) == noErr)
    #expect(AudioOutputUnitStart(unit) == noErr)
    var frames: [UInt32] = []
    for await each in told {
      frames.append(each)
      if frames.count == 3 { break }
    }
    #expect(frames == [480, 480, 480])
    #expect(AudioOutputUnitStop(unit) == noErr && AudioComponentInstanceDispose(unit) == noErr)
  }
}
