import CDrawing
import Glibc

/// Frames as PNG files: snapshots of participants, thumbnails, screenshots of a test.
///
/// ```swift
/// for await frame in video.frames {
///   try ImageFile.writePNG(frame, to: "\(participant.name).png")
///   break
/// }
/// ```
public enum ImageFile {
  /// Writes a frame; a file of that name is replaced, in one step.
  ///
  /// ```swift
  /// try ImageFile.writePNG(frame, to: "ann.png")
  /// ```
  ///
  /// - Throws: ``MediaError/cannotWrite(_:reason:)`` when the file cannot be written,
  ///   ``MediaError/missingComponent(_:hint:)`` when Cairo is not installed.
  public static func writePNG(_ frame: VideoFrame, to path: String) throws(MediaError) {
    let bytes = try pngBytes(frame)
    let temporary = path + ".part"
    func fail() -> MediaError { .cannotWrite(path, reason: "\(String(cString: strerror(errno))).") }
    guard let file = fopen(temporary, "we") else { throw fail() }
    let written = fwrite(bytes, 1, bytes.count, file)
    guard fclose(file) == 0, written == bytes.count, rename(temporary, path) == 0 else {
      let failure = fail()
      unlink(temporary)
      throw failure
    }
  }

  /// A frame as the bytes of a PNG file. Costs about 15 ms for 640x360.
  ///
  /// ```swift
  /// let attachment = try ImageFile.pngBytes(frame.scaled(width: 320, height: 180))
  /// ```
  public static func pngBytes(_ frame: VideoFrame) throws(MediaError) -> [UInt8] {
    try TextRenderer.load()
    let pixels = frame.bytes(as: .bgra)
    var out: [UInt8] = []
    let status = withUnsafeMutablePointer(to: &out) { out in
      pixels.withUnsafeBufferPointer { pixels in
        parley_png_write(pixels.baseAddress, Int32(frame.width), Int32(frame.height), Int32(frame.width * 4), 0, out) {
          context, bytes, count in
          guard let context, let bytes else { return -1 }
          context.assumingMemoryBound(to: [UInt8].self).pointee
            .append(contentsOf: UnsafeBufferPointer(start: bytes, count: Int(count)))
          return 0
        }
      }
    }
    guard status == 0 else { throw .encoderFailed("PNG", reason: "Cairo reports error \(status).") }
    return out
  }
}
