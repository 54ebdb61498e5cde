import Dispatch
import Foundation

/// Signals as values, for a program that has something to say before it ends.
enum Signals {
  /// The signals of `numbers` from now on, in the order they come. They have no other effect from here on.
  static func stream(of numbers: [Int32]) -> AsyncStream<Int32> {
    let (stream, sink) = AsyncStream.makeStream(of: Int32.self)
    let sources = numbers.map { number in
      // Ignored by the process, so that it does not end; the source hears of it all the same.
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler { sink.yield(number) }
      source.resume()
      return Source(source)
    }
    sink.onTermination = { _ in withExtendedLifetime(sources) {} }
    return stream
  }

  // Unchecked because: it is only kept.
  private struct Source: @unchecked Sendable {
    let source: any DispatchSourceSignal
    init(_ source: any DispatchSourceSignal) { self.source = source }
  }
}
