import Basics
import Testing
import Transport

/// Resources are given back to the system. Descriptors of the whole process are counted.
@Suite(.serialized, .timeLimit(.minutes(20))) struct DescriptorTests {
  @Test("a stopped loop gives back its thread and descriptors")
  func loops() async throws {
    func startAndStop() throws {
      let loop = try EventLoop(name: "test loop", cpu: 0)
      loop.stop()
      loop.join()
    }
    // The descriptors that the first one opens for the whole process stay.
    try startAndStop()
    let before = openDescriptors().count
    for _ in 0..<20 { try startAndStop() }
    await wait("descriptors back at \(before)") { openDescriptors().count <= before }
  }

  // It ends the rest.
  @Test("shutdown answers open requests and frees every descriptor and thread")
  func shutdown() async throws {
    func serveAndShutDown() async throws {
      // Held until the shutdown has begun.
      let isOver = Shared(false)
      let server = try HTTPServer(handler: { _ in
        await wait("the shutdown") { isOver.value }
        return .text("done")
      })
      let address = try server.listen(on: TransportAddress(ip: loopbackV4, port: 0))
      let idle = try RawClient(address)
      let busy = try RawClient(address)
      busy.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
      await wait("the request") { server.counters.requests == 1 }
      await wait("both connections") { server.counters.open == 2 }
      async let shutdown: Void = server.shutdown(grace: .seconds(600))
      #expect(await idle.readToEnd().isEmpty)
      isOver.value = true
      #expect(await busy.textToEnd().hasSuffix("done"))
      await shutdown
      #expect(throws: (any Error).self) { _ = try RawClient(address) }
      #expect(throws: TransportError.stopped) { try server.listen(on: address) }
    }
    try await serveAndShutDown()
    let before = openDescriptors().count
    for _ in 0..<5 { try await serveAndShutDown() }
    await wait("descriptors back at \(before)") { openDescriptors().count <= before }
  }
}
