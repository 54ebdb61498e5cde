import Basics
import RTC
import Transport

/// The receivers of the bare loop: a socket each, every packet decrypted and checked as the other loads do it.
actor BareLoad {
  private final class Receiver {
    let socket: UDPSocket
    let srtp: SRTPReceiver
    var stream: LoadStream
    var measurement = Measurement()

    init(_ kind: MediaKind, at address: IPAddress, coalesces: Bool) throws {
      socket = try UDPSocket(
        bind: TransportAddress(ip: address, port: 0), bufferSize: 1 << 20, coalesce: coalesces)
      srtp = try SRTPReceiver(BareKeys.material)
      stream = LoadStream(ssrc: BareKeys.ssrc, kind: kind)
    }

    func receive(_ slab: ReceiveSlab) {
      var more = true
      while more {
        more = socket.receive(into: slab) { datagram, _, _ in take(&datagram, MonotonicClock.now) }
      }
    }

    private func take(_ datagram: inout MutableSpan<UInt8>, _ now: Instant) {
      guard var header = try? RTPHeader.parse(protected: datagram.span), let length = try? srtp.unprotectRTP(&datagram),
        (try? header.resolvePayload(in: datagram.span.extracting(0..<length))) != nil
      else {
        measurement.damaged += 1
        return
      }
      stream.take(header, datagram.span, now, &measurement)
    }
  }

  nonisolated let loop: EventLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  private let slab: ReceiveSlab
  private var receivers: [Receiver] = []

  init(coalesces: Bool) throws {
    loop = try EventLoop(name: "load")
    slab = try coalesces ? ReceiveSlab() : ReceiveSlab(slots: 32, slotSize: 2_048)
  }

  /// Opens `count` sockets; returns their ports.
  func open(_ count: Int, _ kind: MediaKind, at address: IPAddress, coalesces: Bool) throws -> [UInt16] {
    for _ in 0..<count {
      let receiver = try Receiver(kind, at: address, coalesces: coalesces)
      _ = try loop.register(receiver.socket.descriptor, for: .readable) { [unowned receiver, slab] _ in
        receiver.receive(slab)
      }
      receivers.append(receiver)
    }
    return receivers.map(\.socket.localAddress.port)
  }

  /// Forgets what was measured so far.
  func reset() { for receiver in receivers { receiver.measurement = Measurement() } }

  /// Everything measured since the last reset.
  func measurement() -> Measurement { receivers.reduce(into: Measurement()) { $0.merge($1.measurement) } }

  func stop() { loop.stop() }
}
