import Basics
import Parley

/// Carries the packets of a data connection to and from its meeting.
@MainActor final class DataPump {
  /// Packets that wait for the app to be ready for them, at most: the other side's window and some acknowledgements.
  private static let heldLimit = 64
  private static let pause = TimeSpan.milliseconds(200)

  /// Sends a packet to the other side.
  typealias Sender = @MainActor ([UInt8]) async throws(JoinError) -> Void

  let channels = DataChannels()
  /// Is called when packets can't be sent, and never will be.
  var failed: () -> Void = {}
  private let sender: Sender
  private let wakeups: AsyncStream<Void>.Continuation
  private var loop: Task<Void, Never>?
  private var timer: Task<Void, Never>?
  /// The packets that came before ``start()``; nil from then on.
  private var held: [[UInt8]]? = []
  /// Whether the connection is over: a callback may have ended it, and no other one follows.
  private var isOver = false

  init(_ sender: @escaping Sender) {
    self.sender = sender
    let (stream, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    wakeups = continuation
    loop = Task { [weak self] in
      for await _ in stream { await self?.send() }
    }
  }

  /// The app's callbacks are there: packets are read from now on.
  func start() {
    let packets = held ?? []
    held = nil
    for packet in packets where !isOver { receive(packet) }
    wake()
  }

  func receive(_ packet: [UInt8]) {
    guard !isOver else { return }
    guard held == nil else {
      if held?.count ?? 0 < Self.heldLimit { held?.append(packet) }
      return
    }
    channels.receive(packet, now: MonotonicClock.now)
    wake()
  }

  /// The meeting's connection is another one.
  func reconnected() {
    channels.resend()
    wake()
  }

  /// Something is to be sent.
  func wake() { wakeups.yield() }

  /// Sends what may be sent now.
  private func send() async {
    while !Task.isCancelled {
      switch channels.nextOutput(now: MonotonicClock.now) {
      case .send(let packet):
        do throws(JoinError) { try await sender(packet) } catch {
          if case .refused = error {
            if !isOver { failed() }
            return
          }
          // The link sends it again; when the meeting is over, its session says so.
          return wake(at: MonotonicClock.now + Self.pause)
        }
      case .wait(let time): return wake(at: time)
      case .idle: return
      }
    }
  }

  private func wake(at time: Instant) {
    timer?.cancel()
    timer = Task { [weak self] in
      let pause = max(time - MonotonicClock.now, .zero)
      guard (try? await Task.sleep(nanoseconds: UInt64(pause.nanoseconds))) != nil else { return }
      self?.wake()
    }
  }

  func end(_ error: BBMMediaError) {
    isOver = true
    wakeups.finish()
    loop?.cancel()
    timer?.cancel()
    channels.end(error)
  }
}
