import Basics
import CGStreamer
import Synchronization

/// A running GStreamer pipeline that takes video and audio through appsrcs: for speakers and files.
// unchecked: the C pointers are set by the initialiser and freed by the deinitialiser; appsrcs lock themselves.
final class OutputPipeline: @unchecked Sendable {
  private let pipeline: OpaquePointer
  private let name: String

  /// An appsrc of the pipeline.
  // unchecked: appsrcs lock themselves, and live as long as the pipeline that is held.
  final class Port: @unchecked Sendable {
    private let pointer: OpaquePointer
    private let owner: OutputPipeline

    fileprivate init(_ pointer: OpaquePointer, _ owner: OutputPipeline) {
      self.pointer = pointer
      self.owner = owner
    }

    /// Bytes that wait to be taken.
    var waiting: Int { Int(parley_port_waiting(pointer)) }

    /// Hands on a buffer, copied. `time` counts from the first one; nil plays at once.
    func push(_ bytes: UnsafeRawBufferPointer, time: TimeSpan?, duration: TimeSpan?) -> Bool {
      guard let base = bytes.baseAddress else { return true }
      return parley_port_push(
        pointer, base.assumingMemoryBound(to: UInt8.self), UInt64(bytes.count), time?.nanoseconds ?? -1,
        duration?.nanoseconds ?? -1) == 0
    }

    /// Signals the end of the stream: nothing follows.
    func end() { parley_port_end(pointer) }
  }

  /// Builds and starts it. Whether it really works is known when the first buffer went through; see ``check(for:)``.
  init(_ description: String, name: String, properties: [(element: String, property: String, value: String)] = [])
    throws(MediaError)
  {
    try GStreamer.load()
    self.name = name
    let (built, problem) = GStreamer.withMessage { parley_pipeline_create(description, $0, $1) }
    guard let built else {
      throw GStreamer.cannotBuild(
        name, problem, packages: "gstreamer1.0-plugins-base gstreamer1.0-plugins-good")
    }
    pipeline = built
    for item in properties { parley_pipeline_set(built, item.element, item.property, item.value) }
    let (started, reason) = GStreamer.withMessage { parley_pipeline_play(built, $0, $1) }
    guard started == 0 else { throw .deviceUnavailable(name, reason: reason) }
  }

  deinit { parley_pipeline_destroy(pipeline) }

  /// The appsrc of that name.
  func port(_ name: String) -> Port? { parley_pipeline_port(pipeline, name).map { Port($0, self) } }

  /// Looks for a failure, for at most `time`; returns early when the pipeline plays.
  func check(for time: TimeSpan) throws(MediaError) {
    let limit = MonotonicClock.now + time
    repeat {
      let (event, problem) = GStreamer.withMessage { parley_pipeline_poll(pipeline, 20_000_000, $0, $1) }
      if event == PARLEY_FAILED.rawValue { throw .deviceUnavailable(name, reason: problem) }
      if event == PARLEY_PLAYING.rawValue { return }
    } while MonotonicClock.now < limit
  }

  /// The reason of its stop, if it has given one by now. Each reason comes once.
  func failure() -> String? {
    while true {
      let (event, problem) = GStreamer.withMessage { parley_pipeline_poll(pipeline, 0, $0, $1) }
      if event == PARLEY_FAILED.rawValue { return problem }
      if event == PARLEY_NOTHING.rawValue { return nil }
    }
  }

  /// Waits until everything that was pushed has been written, after all ports have ended.
  func finish(within time: TimeSpan) throws(MediaError) {
    let limit = MonotonicClock.now + time
    while MonotonicClock.now < limit {
      let (event, problem) = GStreamer.withMessage { parley_pipeline_poll(pipeline, 50_000_000, $0, $1) }
      if event == PARLEY_ENDED.rawValue { return }
      if event == PARLEY_FAILED.rawValue { throw .cannotWrite(name, reason: problem) }
    }
    throw .cannotWrite(name, reason: "it was not finished within \(time.milliseconds) ms.")
  }

  /// Stops; what was not written is lost.
  func stop() { parley_pipeline_stop(pipeline) }
}
