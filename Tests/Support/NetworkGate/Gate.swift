import Basics
import Foundation
import Glibc
import Testing

@testable import impairment_proxy

// unchecked: `state` is used under the lock only, the rest does not change.
/// The network between an app and a server: signalling and media of whoever connects to ``url`` go through it, and it
/// can be cut.
///
/// TCP is passed on as it is, but for the media port in the server's candidates, which becomes that of an
/// ``ImpairmentProxy``.
public final class Gate: @unchecked Sendable {
  private struct State {
    var isCut = false
    var isHeld = false
    var sockets: [Weak] = []
  }

  private struct Weak { weak var pair: Pair? }

  /// A connection of a client and the one to the server that belongs to it; closed when nobody passes anything on any
  /// more.
  private final class Pair: Sendable {
    let client: Int32
    let server: Int32

    init(_ client: Int32, _ server: Int32) { (self.client, self.server) = (client, server) }

    func end() {
      for socket in [client, server] { shutdown(socket, Int32(SHUT_RDWR)) }
    }

    deinit {
      for socket in [client, server] { Glibc.close(socket) }
    }
  }

  /// The address at which an app finds the server through it.
  public let url: String
  private let listener: Int32
  private let port: UInt16
  private let proxy: ImpairmentProxy
  private let ports: (old: [UInt8], new: [UInt8])
  private let lock = NSCondition()
  private var state = State()

  /// A gate before a server that takes signalling at `port` and media at `mediaPort`, both on 127.0.0.1.
  public static func open(port: UInt16, mediaPort: UInt16) async throws -> Gate {
    let proxy = try ImpairmentProxy(try ProxyOptions(["--forward", "\(mediaPort)"]))
    let gate = try Gate(port, mediaPort, proxy, try await proxy.start())
    Thread.detachNewThread { gate.listen() }
    return gate
  }

  private init(_ port: UInt16, _ mediaPort: UInt16, _ proxy: ImpairmentProxy, _ proxyPort: UInt16) throws {
    (self.port, self.proxy) = (port, proxy)
    ports = (Array(" \(mediaPort) typ host".utf8), Array(" \(proxyPort) typ host".utf8))
    // A text of another length would break the frames that carry it.
    try #require(ports.old.count == ports.new.count, "\(mediaPort) and \(proxyPort) have not as many digits")
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = Self.address(0)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let descriptor = listener
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { raw in
        bind(descriptor, raw, length) == 0 && Glibc.listen(descriptor, 16) == 0
          && getsockname(descriptor, raw, &length) == 0
      }
    }
    try #require(isBound, "no free port")
    url = "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))"
  }

  /// Takes no new connections any more, and ends those that there are.
  public func close() {
    releaseAnswers()
    cutSockets()
    shutdown(listener, Int32(SHUT_RDWR))
    Glibc.close(listener)
    proxy.loop.stop()
    proxy.loop.join()
  }

  // MARK: The network

  /// Nothing passes any more, and connections are lost.
  public func cut() async throws {
    await proxy.change(try ProxyOptions.Change(command: "both outage"))
    cutSockets()
  }

  private func cutSockets() {
    lock.withLock { state.isCut = true }
    dropConnections()
  }

  /// The server's bytes over TCP wait, in order; the client's and media pass.
  public func holdAnswers() { lock.withLock { state.isHeld = true } }

  /// Bytes that have waited arrive.
  public func releaseAnswers() {
    lock.withLock { state.isHeld = false }
    lock.broadcast()
  }

  /// The connections of now are lost; new ones may be made.
  public func dropConnections() {
    for pair in lock.withLock({ state.sockets.compactMap(\.pair) }) { pair.end() }
  }

  public func restore() async throws {
    lock.withLock { state.isCut = false }
    await proxy.change(try ProxyOptions.Change(command: "both perfect"))
  }

  /// Impairs media on its way to the client, as the impairment proxy spells it: `rate=300k`.
  public func slowDown(_ conditions: String) async throws {
    await proxy.change(try ProxyOptions.Change(command: "down \(conditions)"))
  }

  // MARK: Passing on

  private func listen() {
    while true {
      let client = accept(listener, nil, nil)
      guard client >= 0 else { return }
      guard !lock.withLock({ state.isCut }), let server = connected() else {
        Glibc.close(client)
        continue
      }
      let pair = Pair(client, server)
      lock.withLock { state.sockets.append(Weak(pair: pair)) }
      Thread.detachNewThread { self.pass(client, server, pair) { $0 } }
      Thread.detachNewThread { self.pass(server, client, pair) { self.withOtherPort(self.whenReleased($0)) } }
    }
  }

  private func whenReleased(_ bytes: [UInt8]) -> [UInt8] {
    lock.withLock { while state.isHeld { lock.wait() } }
    return bytes
  }

  private func connected() -> Int32? {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = Self.address(port)
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { raw in
        connect(descriptor, raw, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard result == 0 else {
      Glibc.close(descriptor)
      return nil
    }
    return descriptor
  }

  private func pass(_ source: Int32, _ target: Int32, _ pair: Pair, _ change: ([UInt8]) -> [UInt8]) {
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    while true {
      let count = read(source, &buffer, buffer.count)
      guard count > 0 else { break }
      var bytes = change(Array(buffer[..<count]))[...]
      while !bytes.isEmpty {
        let sent = bytes.withUnsafeBytes { send(target, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        guard sent > 0 else { return pair.end() }
        bytes = bytes.dropFirst(sent)
      }
    }
    pair.end()
  }

  private func withOtherPort(_ bytes: [UInt8]) -> [UInt8] {
    bytes.firstRange(of: ports.old) == nil ? bytes : bytes.replacing(ports.old, with: ports.new)
  }

  private static func address(_ port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    return address
  }
}
