import Basics
import Foundation
import Glibc
import RTC
import Transport

/// The lower bound that joining is measured against: a process that makes a DTLS handshake with whoever comes and keeps
/// the keys, and nothing else.
///
/// There is no signalling, no ICE check and no meeting. The bare loop itself has no join: its receivers are given to
/// it, and its keys are known.
enum BareHandshakes {
  /// A subscriber's share of the cost.
  struct Costs {
    var times: [TimeSpan] = []
    var residentBefore = 0
    var residentAfter = 0
    var proportionalBefore = 0
    var proportionalAfter = 0
  }

  struct Failed: Error, CustomStringConvertible {
    var description: String
  }

  /// Runs as a program of its own: `parley-bench --bare-handshakes ADDRESS FINGERPRINT`. Says its port and its own
  /// fingerprint, and ends with its standard input.
  static func main(_ arguments: [String]) throws {
    guard arguments.count == 2, let address = IPAddress(arguments[0]),
      let fingerprint = try? Fingerprint(sdp: arguments[1])
    else { throw BenchOptions.Wrong(description: "usage: --bare-handshakes ADDRESS FINGERPRINT") }
    let context = try makeContext()
    let socket = try UDPSocket(bind: TransportAddress(ip: address, port: 0))
    let slab = try ReceiveSlab(slots: 32, slotSize: 2_048)
    say("port \(socket.localAddress.port)")
    say("fingerprint \(context.certificate.fingerprint)")
    Thread.detachNewThread {
      while readLine() != nil {}
      exit(0)
    }
    var associations: [TransportAddress: DTLSTransport] = [:]
    var keys: [SRTPSender] = []
    while true {
      wait(for: socket, milliseconds: -1)
      _ = socket.receive(into: slab) { datagram, remote, local in
        if associations[remote] == nil {
          associations[remote] = try? DTLSTransport(context: context, role: .server, remoteFingerprints: [fingerprint])
        }
        guard let association = associations[remote] else { return }
        association.receive(datagram.span, now: MonotonicClock.now)
        while let bytes = association.pollTransmit() { socket.send(bytes.span, to: remote, from: local) }
        while let event = association.pollEvent() {
          guard case .connected(let material) = event, let sender = try? SRTPSender(material) else { continue }
          keys.append(sender)
          associations[remote] = nil
        }
      }
    }
  }

  /// Lets `count` subscribers come, one after the other, each with a socket of its own.
  static func measure(_ count: Int, at address: IPAddress) throws -> Costs {
    let context = try makeContext()
    let server = try MeasuredProcess(
      CommandLine.arguments[0], ["--bare-handshakes", address.text, "\(context.certificate.fingerprint)"])
    defer { server.stop() }
    guard let port = UInt16(try server.line(startingWith: "port ")) else { throw Failed(description: "no port") }
    let fingerprint = try Fingerprint(sdp: server.line(startingWith: "fingerprint "))
    let slab = try ReceiveSlab(slots: 32, slotSize: 2_048)
    let remote = TransportAddress(ip: address, port: port)
    var costs = Costs()
    costs.residentBefore = server.residentKilobytes
    costs.proportionalBefore = server.proportionalKilobytes
    for _ in 0..<count {
      let began = MonotonicClock.now
      let socket = try UDPSocket(bind: TransportAddress(ip: address, port: 0))
      let client = try DTLSTransport(context: context, role: .client, remoteFingerprints: [fingerprint])
      client.start(now: began)
      while client.state == .handshaking {
        while let bytes = client.pollTransmit() { socket.send(bytes.span, to: remote, from: nil) }
        wait(for: socket, milliseconds: 10)
        _ = socket.receive(into: slab) { datagram, _, _ in client.receive(datagram.span, now: MonotonicClock.now) }
        if client.deadline <= MonotonicClock.now { client.handleTimeout(now: MonotonicClock.now) }
      }
      guard client.state == .connected else { throw Failed(description: "a bare handshake failed: \(client.state)") }
      costs.times.append(MonotonicClock.now - began)
    }
    costs.residentAfter = server.residentKilobytes
    costs.proportionalAfter = server.proportionalKilobytes
    return costs
  }

  private static func makeContext() throws -> DTLSContext {
    try DTLSContext(certificate: .selfSigned(unixTime: UnixTime.now), profiles: [.aeadAES128GCM])
  }

  private static func wait(for socket: UDPSocket, milliseconds: Int32) {
    var entry = pollfd(fd: socket.descriptor, events: Int16(POLLIN), revents: 0)
    _ = poll(&entry, 1, milliseconds)
  }
}
