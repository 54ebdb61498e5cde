import Basics
import Foundation
import Testing
import Transport

extension RawClient {
  /// Sends from a thread of its own, since it may have to wait until the server reads. The number of sent bytes is
  /// there at the end.
  fileprivate func sending(_ head: String, _ bytes: [UInt8], times: Int = 1) -> Shared<Int?> {
    let sent = Shared<Int?>(nil)
    Thread.detachNewThread {
      var count = 0
      if self.write(head) { while count < times, self.write(bytes) { count += 1 } }
      sent.value = count * bytes.count
    }
    return sent
  }

  /// Sends a byte now and then, as whoever wants to hold a connection does, until the other end is gone.
  fileprivate func drip() -> Task<Void, Never> {
    Task { while !Task.isCancelled, self.write("x") { try? await Task.sleep(for: .milliseconds(20)) } }
  }
}

/// A sink that acts as a test says, and notes its calls.
private actor NotingSink: HTTPBodySink {
  nonisolated let limit: Int
  private let refusesAtOnce: Bool
  /// Refuses as soon as it has taken so many bytes.
  private let most: Int
  private let gate: Shared<Bool>
  private let sums: Bool
  private(set) var length = 0
  private(set) var begun = 0
  private(set) var taken = 0
  private(set) var largest = 0
  private(set) var sum = 0
  private(set) var finished = 0
  private(set) var cancelled = 0

  init(
    limit: Int = 1 << 30, refusesAtOnce: Bool = false, most: Int = .max, gate: Shared<Bool> = Shared(true),
    sums: Bool = false
  ) {
    self.limit = limit
    self.refusesAtOnce = refusesAtOnce
    self.most = most
    self.gate = gate
    self.sums = sums
  }

  func begin(length: Int) async -> HTTPResponse? {
    begun += 1
    self.length = length
    return refusesAtOnce ? .text("nobody", status: 401) : nil
  }

  func take(_ piece: [UInt8]) async -> HTTPResponse? {
    taken += piece.count
    largest = max(largest, piece.count)
    if sums { for byte in piece { sum = sum &* 31 &+ Int(byte) } }
    while !gate.value { try? await Task.sleep(for: .milliseconds(2)) }
    return taken > most ? .text("too much", status: 409) : nil
  }

  func finish() async -> HTTPResponse {
    finished += 1
    return .text("\(taken)", status: 201)
  }

  func cancel() async { cancelled += 1 }
}

@Suite("Bodies that go to a sink", .timeLimit(.minutes(20))) struct HTTPBodySinkTests {
  private func head(_ length: Int) -> String { "POST /file HTTP/1.1\r\nHost: x\r\nContent-Length: \(length)\r\n\r\n" }

  // The connection continues.
  @Test("a body comes in pieces and in order, and the sink gives the answer")
  func pieces() async throws {
    let sink = NotingSink(sums: true)
    try await withServer(bodySink: { $0.path == "/file" ? sink : nil }) { server, address in
      let bytes = (0..<2_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 9) }
      let client = try RawClient(address)
      let sent = client.sending(head(bytes.count), bytes)
      let answer = await client.response()
      #expect(answer?.status == 201 && answer.map { String(decoding: $0.body, as: UTF8.self) } == "2000000")
      var sum = 0
      for byte in bytes { sum = sum &* 31 &+ Int(byte) }
      #expect(await (sink.length, sink.sum) == (bytes.count, sum))
      #expect(sent.value == bytes.count)
      client.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
      #expect(await client.response()?.status == 200)
      #expect(await (sink.begun, sink.finished, sink.cancelled) == (1, 1, 0))
      #expect(server.counters.requests == 2)
    }
  }

  @Test("a sink that is slow makes the client wait: what waits for it is bounded")
  func backPressure() async throws {
    let gate = Shared(false)
    let sink = NotingSink(gate: gate)
    try await withServer(bodySink: { _ in sink }) { _, address in
      let bytes = [UInt8](repeating: 9, count: 24 << 20)
      let client = try RawClient(address)
      let sent = client.sending(head(bytes.count), bytes)
      await wait("the first piece") { await sink.taken > 0 }
      // Neither the sockets' buffers nor the server take so much.
      #expect(sent.value == nil)
      gate.value = true
      #expect(await client.response()?.status == 201)
      #expect(await sink.taken == bytes.count)
      #expect(await sink.largest <= 1 << 20)
    }
  }

  // So that the client sees why.
  @Test("a short refused body is read to its end, and the connection continues")
  func shortRefusal() async throws {
    let sink = NotingSink(refusesAtOnce: true)
    try await withServer(bodySink: { $0.method == "POST" ? sink : nil }) { _, address in
      let client = try RawClient(address)
      for _ in 0..<3 {
        let sent = client.sending(head(300_000), [UInt8](repeating: 1, count: 300_000))
        let answer = await client.response()
        #expect(answer?.status == 401 && answer?.headers["connection"] == "keep-alive")
        await wait("the end of the body") { sent.value != nil }
      }
      #expect(await (sink.taken, sink.finished, sink.cancelled) == (0, 0, 0))
    }
  }

  // However slowly it comes.
  @Test(
    "threat 27: a refused body holds its connection for a moment at most",
    arguments: [false, true])
  func slowRefusal(inTheMiddle: Bool) async throws {
    var configuration = HTTPServer.Configuration()
    configuration.refusedBodyTimeout = .milliseconds(300)
    let sink = inTheMiddle ? NotingSink(most: 0) : NotingSink(refusesAtOnce: true)
    try await withServer(configuration, bodySink: { _ in sink }) { server, address in
      let client = try RawClient(address)
      client.write(head(25 << 20) + "x")
      let dripping = client.drip()
      await wait("the end of the connection") { server.counters.open == 0 }
      dripping.cancel()
      await dripping.value
      let text = await client.textToEnd()
      #expect(text.hasPrefix(inTheMiddle ? "HTTP/1.1 409" : "HTTP/1.1 401"), "\(text)")
      #expect(text.contains("Connection: close"))
      #expect(await sink.finished == 0)
    }
  }

  @Test("threat 27: no more than so many bytes are read of a body that was refused")
  func longRefusal() async throws {
    var configuration = HTTPServer.Configuration()
    configuration.refusedBodyLimit = 1 << 20
    configuration.refusedBodyTimeout = .seconds(60)
    let sink = NotingSink(refusesAtOnce: true)
    try await withServer(configuration, bodySink: { _ in sink }) { server, address in
      let client = try RawClient(address)
      let sent = client.sending(head(1 << 30), [UInt8](repeating: 7, count: 256 << 10), times: 4_096)
      await wait("the end of the connection") { server.counters.open == 0 && sent.value != nil }
      // The content of both sockets' buffers comes on top.
      #expect(sent.value.map { $0 < 64 << 20 } == true)
    }
  }

  @Test("a body larger than the sink takes is refused before the sink hears of it")
  func tooLarge() async throws {
    let sink = NotingSink(limit: 1_000)
    try await withServer(bodySink: { _ in sink }) { _, address in
      let client = try RawClient(address)
      client.write(head(1_001))
      let text = await client.textToEnd()
      #expect(text.hasPrefix("HTTP/1.1 413") && text.contains("larger than 1000 bytes"))
      #expect(await sink.begun == 0)
    }
  }

  @Test("threat 42: a body that trickles ends as too slow, whatever its length")
  func dripping() async throws {
    var configuration = impatient(.milliseconds(300))
    configuration.uploadRate = 16 << 10
    let slow = NotingSink()
    try await withServer(configuration, bodySink: { _ in slow }) { server, address in
      let client = try RawClient(address)
      // By the average it would have five minutes.
      client.write(head(5_000_000) + "x")
      let dripping = client.drip()
      await wait("the word that the client is too slow") { await slow.cancelled == 1 }
      dripping.cancel()
      await dripping.value
      #expect(await slow.finished == 0 && server.counters.timedOut == 1)
      let answer = await client.response()
      #expect(answer?.status == 408)
    }
  }

  @Test("a sink hears of a client that goes away, and of one that is too slow")
  func cancelling() async throws {
    let gone = NotingSink()
    try await withServer(bodySink: { _ in gone }) { _, address in
      let client = try RawClient(address)
      client.write(head(5_000_000) + "half of it")
      await wait("the first piece") { await gone.taken > 0 }
      client.close()
      await wait("the word that the client is gone") { await gone.cancelled == 1 }
      #expect(await gone.finished == 0)
    }
    var configuration = impatient(.milliseconds(300))
    configuration.uploadRate = 1 << 30
    let slow = NotingSink()
    try await withServer(configuration, bodySink: { _ in slow }) { server, address in
      let client = try RawClient(address)
      client.write(head(5_000_000) + "half of it")
      let dripping = client.drip()
      await wait("the word that the client is too slow") { await slow.cancelled == 1 }
      dripping.cancel()
      await dripping.value
      #expect(await slow.finished == 0 && server.counters.timedOut == 1)
      #expect(await client.response()?.status == 408)
    }
  }
}
