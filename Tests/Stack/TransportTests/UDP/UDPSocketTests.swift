import Basics
import TestSupport
import Testing
@_spi(Testing) import Transport

/// The datagrams that one socket received, in order.
private struct Received: Equatable {
  var bytes: [UInt8]
  var remote: TransportAddress
  var local: TransportAddress
}

/// Receives until `count` datagrams are there.
private func receive(_ count: Int, on socket: UDPSocket, slab: ReceiveSlab) async -> [Received] {
  var out: [Received] = []
  let end = ContinuousClock.now + waitingLimit
  while out.count < count && ContinuousClock.now < end {
    let more = socket.receive(into: slab) { bytes, remote, local in
      var copy: [UInt8] = []
      for i in bytes.indices { copy.append(bytes[i]) }
      out.append(Received(bytes: copy, remote: remote, local: local))
    }
    if !more && out.count < count { try? await Task.sleep(for: .milliseconds(1)) }
  }
  return out
}

/// Sends from an array; spans of temporaries inside `#expect` are more than the compiler can take.
@discardableResult private func emit(
  _ bytes: [UInt8], on socket: UDPSocket, segmentSize: Int? = nil, to: TransportAddress, from: TransportAddress? = nil
) -> UDPSocket.SendResult {
  socket.sendSegmented(bytes.span, segmentSize: segmentSize ?? bytes.count, to: to, from: from)
}

/// A packet of `length` bytes that no other index has.
private func packet(_ index: Int, _ length: Int) -> [UInt8] {
  (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ index &* 31) }
}

@Suite struct UDPSocketTests {
  @Test("a datagram arrives with its sender's address", arguments: [loopbackV4, loopbackV6])
  func roundTrip(ip: IPAddress) async throws {
    let slab = try ReceiveSlab(slots: 4)
    let a = try UDPSocket(bind: TransportAddress(ip: ip, port: 0))
    let b = try UDPSocket(bind: TransportAddress(ip: ip, port: 0))
    #expect(a.localAddress.port != 0)
    #expect(emit([1, 2, 3], on: a, to: b.localAddress, from: nil) == .sent)
    let got = await receive(1, on: b, slab: slab)
    #expect(got == [Received(bytes: [1, 2, 3], remote: a.localAddress, local: b.localAddress)])
    #expect(a.counters.packetsSent == 1 && a.counters.bytesSent == 3)
    #expect(b.counters.packetsReceived == 1 && b.counters.bytesReceived == 3)
  }

  @Test("datagrams that nobody read in time are counted")
  func unread() throws {
    let sender = try UDPSocket(bind: TransportAddress(ip: loopbackV4, port: 0))
    let reader = try UDPSocket(bind: TransportAddress(ip: loopbackV4, port: 0), bufferSize: 4_096)
    #expect(reader.receiveBufferDrops == 0)
    // Loopback delivers within the send.
    for index in 0..<200 { emit(packet(index, 1_000), on: sender, to: reader.localAddress) }
    let drops = reader.receiveBufferDrops
    #expect(drops > 100 && drops < 200, "\(drops)")
  }

  // IP_PKTINFO.
  @Test("a wildcard socket reports the local address, and answers from it")
  func packetInfo() async throws {
    let slab = try ReceiveSlab(slots: 4)
    let server = try UDPSocket(bind: TransportAddress(ip: anyV4, port: 0))
    let client = try UDPSocket(bind: TransportAddress(ip: loopbackV4, port: 0))
    // 127.0.0.2 is this machine too; without IP_PKTINFO the answer would come from 127.0.0.1.
    let second = TransportAddress(ip: IPAddress(v4: 0x7F00_0002), port: server.localAddress.port)
    #expect(emit([9], on: client, to: second, from: nil) == .sent)
    let got = await receive(1, on: server, slab: slab)
    #expect(got.first?.local == second)
    #expect(emit([8], on: server, to: client.localAddress, from: got.first?.local) == .sent)
    let answer = await receive(1, on: client, slab: slab)
    #expect(answer.first?.remote == second)
  }

  // IPV6_RECVPKTINFO.
  @Test("a dual-stack socket serves IPv6 and IPv4, with IPv4 addresses")
  func dualStack() async throws {
    let slab = try ReceiveSlab(slots: 4)
    let server = try UDPSocket(bind: TransportAddress(ip: anyV6, port: 0), dualStack: true)
    for ip in [loopbackV4, loopbackV6] {
      let client = try UDPSocket(bind: TransportAddress(ip: ip, port: 0))
      let target = TransportAddress(ip: ip, port: server.localAddress.port)
      #expect(emit([1], on: client, to: target, from: nil) == .sent)
      let got = await receive(1, on: server, slab: slab)
      #expect(got.first?.remote == client.localAddress)
      #expect(got.first?.local == target)
      #expect(emit([2], on: server, to: client.localAddress, from: target) == .sent)
      let answer = await receive(1, on: client, slab: slab)
      #expect(answer.first?.remote == target)
    }
  }

  @Test("a segmented run arrives as the datagrams it was made of", arguments: [true, false], [loopbackV4, loopbackV6])
  func segmentation(coalesce: Bool, ip: IPAddress) async throws {
    let slab = try ReceiveSlab()
    let sender = try UDPSocket(bind: TransportAddress(ip: ip, port: 0))
    let receiver = try UDPSocket(bind: TransportAddress(ip: ip, port: 0), coalesce: coalesce)
    let packets = (0..<10).map { packet($0, $0 == 9 ? 700 : 1_135) }
    #expect(
      emit(
        packets.flatMap { $0 }, on: sender, segmentSize: 1_135, to: receiver.localAddress, from: nil) == .sent)
    let got = await receive(10, on: receiver, slab: slab)
    #expect(got.map(\.bytes) == packets)
    #expect(got.allSatisfy { $0.remote == sender.localAddress })
    #expect(sender.counters.packetsSent == 10)
    #expect(sender.counters.segmentationFallbacks == 0)
    #expect(sender.usesSegmentation && sender.counters.sendCalls == 1)
    if coalesce { #expect(receiver.counters.receiveCalls == 1) }
  }

  @Test("a run longer than 64 datagrams or 65,507 bytes is cut into several sends")
  func longRun() async throws {
    let slab = try ReceiveSlab()
    let sender = try UDPSocket(bind: TransportAddress(ip: loopbackV4, port: 0))
    let receiver = try UDPSocket(bind: TransportAddress(ip: loopbackV4, port: 0))
    let packets = (0..<150).map { packet($0, 1_200) }
    #expect(
      emit(
        packets.flatMap { $0 }, on: sender, segmentSize: 1_200, to: receiver.localAddress, from: nil) == .sent)
    let got = await receive(150, on: receiver, slab: slab)
    #expect(got.map(\.bytes) == packets)
    #expect(sender.counters.sendCalls == 3)
  }

  @Test("a segment size that the path refuses (EINVAL) is sent as datagrams")
  func fallback() async throws {
    let slab = try ReceiveSlab()
    let sender = try UDPSocket(bind: TransportAddress(ip: loopbackV4, port: 0))
    let receiver = try UDPSocket(bind: TransportAddress(ip: loopbackV4, port: 0))
    // The loopback device's MTU is 65,536, so nothing is too long for it; without checksums the kernel refuses too.
    sender.disableChecksumForTests()
    let packets = (0..<4).map { packet($0, 1_000) }
    #expect(
      emit(
        packets.flatMap { $0 }, on: sender, segmentSize: 1_000, to: receiver.localAddress, from: nil) == .sent)
    let got = await receive(4, on: receiver, slab: slab)
    #expect(got.map(\.bytes) == packets)
    #expect(sender.counters.segmentationFallbacks == 4)
    #expect(sender.counters.sendCalls == 5)
    // It is remembered, however often it is sent to, and stays this destination's own.
    for _ in 0..<10 {
      emit(packets.flatMap { $0 }, on: sender, segmentSize: 1_000, to: receiver.localAddress, from: nil)
    }
    #expect(sender.usesSegmentation)
    #expect(sender.counters.packetsSent == 44)
    #expect(sender.counters.sendCalls == 45, "one attempt was refused, and no other was made")
    #expect(await receive(40, on: receiver, slab: slab).count == 40)
  }

  @Test("if every destination refuses segmented sends, nobody gets any for a while")
  func systemFallback() async throws {
    let slab = try ReceiveSlab()
    let sender = try UDPSocket(bind: TransportAddress(ip: loopbackV4, port: 0))
    sender.disableChecksumForTests()
    let run = packet(1, 1_000) + packet(2, 1_000)
    // Each in a network of its own: 127.0.0.1, 127.0.1.1 and so on.
    let receivers = try (0..<9).map { number in
      try UDPSocket(bind: TransportAddress(ip: IPAddress(v4: 0x7F00_0001 + UInt32(number) << 8), port: 0))
    }
    for (index, receiver) in receivers.enumerated() {
      #expect(sender.usesSegmentation == (index < 8))
      emit(run, on: sender, segmentSize: 1_000, to: receiver.localAddress)
    }
    #expect(!sender.usesSegmentation)
    #expect(sender.counters.sendCalls == 8 * 3 + 2)
    for receiver in receivers { #expect(await receive(2, on: receiver, slab: slab).count == 2) }
  }

  @Test("an answer to a port that is closed (ICMP) does not stop the socket")
  func portUnreachable() async throws {
    let slab = try ReceiveSlab(slots: 4)
    let socket = try UDPSocket(bind: TransportAddress(ip: loopbackV4, port: 0))
    let closed = try UDPSocket(bind: TransportAddress(ip: loopbackV4, port: 0)).localAddress
    for _ in 0..<5 { emit([1], on: socket, to: closed, from: nil) }
    let other = try UDPSocket(bind: TransportAddress(ip: loopbackV4, port: 0))
    #expect(emit([2], on: other, to: socket.localAddress, from: nil) == .sent)
    #expect(await receive(1, on: socket, slab: slab).first?.bytes == [2])
    #expect(emit([3], on: socket, to: other.localAddress, from: nil) == .sent)
  }

  @Test("a datagram longer than a slot is a counted drop, not a shorter datagram")
  func truncated() async throws {
    let slab = try ReceiveSlab(slots: 4, slotSize: 2_048)
    let a = try UDPSocket(bind: TransportAddress(ip: loopbackV4, port: 0))
    let b = try UDPSocket(bind: TransportAddress(ip: loopbackV4, port: 0))
    emit(packet(1, 3_000), on: a, to: b.localAddress, from: nil)
    emit([5], on: a, to: b.localAddress, from: nil)
    #expect(await receive(1, on: b, slab: slab).map(\.bytes) == [[5]])
    #expect(b.counters.packetsTruncated == 1)
  }

  @Test("the machine's addresses contain loopback and no link-local IPv6")
  func localAddresses() throws {
    let all = try LocalAddresses.all()
    #expect(all.contains(loopbackV4))
    #expect(!all.contains { !$0.isIPv4 && $0.isLinkLocal })
    #expect(Set(all).count == all.count)
  }

  @Test("a port in use is an error that says so and what to do")
  func portInUse() throws {
    let first = try UDPSocket(bind: TransportAddress(ip: loopbackV4, port: 0))
    let error = #expect(throws: TransportError.self) { _ = try UDPSocket(bind: first.localAddress) }
    #expect(error == .addressInUse(first.localAddress))
    let text = error.map { "\($0)" } ?? ""
    #expect(text.contains("Port \(first.localAddress.port) on 127.0.0.1 is in use"))
    #expect(text.contains("choose another port"))
  }
}
