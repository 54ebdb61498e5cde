import Basics
import CDav1d

/// dav1d used bare: the same settings as ours, the pictures let go.
struct BareDav1d {
  func decode(_ frames: [[UInt8]]) -> (cost: TimeSpan, pictures: Int) {
    var settings = Dav1dSettings()
    dav1d_default_settings(&settings)
    parley_dav1d_silence(&settings)
    settings.n_threads = 2
    settings.max_frame_delay = 1
    settings.all_layers = 0
    var context: OpaquePointer?
    guard dav1d_open(&context, &settings) == 0 else { return (.zero, 0) }
    defer { dav1d_close(&context) }
    var pictures = 0
    let cost = CPUTime.measure {
      for frame in frames {
        var data = Dav1dData()
        guard let bytes = dav1d_data_create(&data, frame.count) else { return }
        frame.withUnsafeBytes {
          UnsafeMutableRawPointer(bytes).copyMemory(
            from: $0.baseAddress ?? UnsafeRawPointer(bytes), byteCount: $0.count)
        }
        while data.sz > 0 {
          let status = dav1d_send_data(context, &data)
          if status != 0, status != parley_dav1d_again { break }
          var picture = Dav1dPicture()
          while dav1d_get_picture(context, &picture) == 0 {
            pictures += 1
            dav1d_picture_unref(&picture)
          }
        }
        dav1d_data_unref(&data)
      }
    }
    return (cost, pictures)
  }
}
