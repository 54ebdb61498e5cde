import Basics
import Dispatch
import Encryption
import FoundationEssentials
import Messaging

extension Messenger {
  /// Gives the machine an input with the time, and carries out what follows.
  func input(_ body: (inout MessengerMachine, Instant, MessageTime) -> Void) {
    let time = MessageTime(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000))
    body(&machine, MonotonicClock.now, time)
    pump()
  }

  /// Carries out a call of the app.
  func perform(_ command: MessengerCommand) async throws(MessengerError) -> MessengerReply {
    let id = runner.nextCommand
    runner.nextCommand += 1
    let result = await withCheckedContinuation { continuation in
      runner.replies[id] = continuation
      input { $0.perform(command, id, now: $1, time: $2) }
    }
    return try result.get()
  }

  /// Hands the machine's effects to the task that carries them out, behind those that are under way.
  private func pump() {
    let effects = machine.takeEffects()
    schedule()
    guard !effects.isEmpty else { return }
    let before = runner.work
    runner.work = Task {
      await before?.value
      await carryOut(effects)
    }
  }

  /// Stores what is to be stored before anything that depends on it leaves this endpoint.
  private func carryOut(_ effects: [MessengerMachine.Effect]) async {
    var changes: [StoreChange] = []
    for effect in effects {
      switch effect {
      case .store(let more): changes += more
      case .notify(let event): eventContinuation.yield(event)
      case .connect: connect()
      case .disconnect: disconnect()
      case .derive(let job, let passcode, let parameters): derive(job, passcode, parameters)
      case .send(let message):
        await persist(&changes)
        send(message)
      case .reply(let id, let result):
        await persist(&changes)
        runner.replies.removeValue(forKey: id)?.resume(returning: result)
      case .wipe:
        changes = []
        try? await store.removeAll()
        runner.unstored = []
        runner.storedEvent = EventNumber(0)
      }
    }
    await persist(&changes)
  }

  private func persist(_ changes: inout [StoreChange]) async {
    let batch = runner.unstored + changes
    guard !batch.isEmpty else { return }
    changes = []
    do {
      try await store.apply(batch)
      runner.unstored = []
    } catch {
      if !runner.hasStoreFailed { eventContinuation.yield(.storeFailed) }
      runner.unstored = StoreChange.coalesced(batch) { machine.logEntries(of: $0) }
      runner.storeRetry?.cancel()
      runner.storeRetry = Task { [weak self] in
        guard (try? await Task.sleep(nanoseconds: 5_000_000_000)) != nil else { return }
        await self?.retryStore()
      }
    }
  }

  private func retryStore() {
    let before = runner.work
    runner.work = Task {
      await before?.value
      var changes: [StoreChange] = []
      await persist(&changes)
    }
  }

  private func send(_ message: EndpointMessage) {
    var message = message
    switch message {
    case .acknowledge(let number):
      guard !runner.hasStoreFailed else { return }
      runner.storedEvent = number
    case .resume(var resume) where runner.hasStoreFailed:
      resume.acknowledged = min(resume.acknowledged, runner.storedEvent)
      message = .resume(resume)
    case .hello, .resume, .request, .ping: break
    }
    guard let text = try? MessagingCoder().encode(message) else { return }
    _ = runner.connection?.send(text)
  }

  // MARK: Connection

  private func connect() {
    runner.generation += 1
    let generation = runner.generation
    let network = network
    runner.reader?.cancel()
    runner.reader = Task {
      guard let connection = try? await network.connect() else { return closed(generation) }
      guard opened(connection, generation) else { return connection.close() }
      while let frame = await connection.receive() {
        guard runner.generation == generation else { break }
        receive(frame)
        // Bounded by what is carried out, so that a fast service does not fill the memory.
        await runner.finished()
      }
      connection.close()
      closed(generation)
    }
  }

  private func opened(_ connection: any MessagingConnection, _ generation: Int) -> Bool {
    guard runner.generation == generation else { return false }
    runner.connection = connection
    input { $0.opened(now: $1, time: $2) }
    return true
  }

  private func closed(_ generation: Int) {
    guard runner.generation == generation else { return }
    runner.connection = nil
    input { $0.closed(now: $1, time: $2) }
  }

  private func disconnect() {
    runner.generation += 1
    runner.connection?.close()
    runner.connection = nil
    runner.reader?.cancel()
  }

  private func receive(_ frame: [UInt8]) {
    // A message of a later version is skipped.
    guard let message = try? MessagingCoder().serviceMessage(from: frame) else { return }
    input { $0.receive(message, now: $1, time: $2) }
  }

  // MARK: Time and passcodes

  private func schedule() {
    runner.timer?.cancel()
    guard let deadline = machine.deadline else { return }
    let pause = max(deadline - MonotonicClock.now, .zero)
    runner.timer = Task { [weak self] in
      guard (try? await Task.sleep(nanoseconds: UInt64(pause.nanoseconds))) != nil else { return }
      await self?.input { $0.handleTimeout(now: $1, time: $2) }
    }
  }

  /// A derivation takes a core for a second: not one of the cooperative pool's.
  private func derive(_ job: Int, _ passcode: VaultPasscode, _ parameters: VaultParameters) {
    DispatchQueue.global().async {
      let result = Result { () throws(VaultError) in
        try VaultCredentials(passcode: passcode, parameters: parameters)
      }
      Task { await self.input { $0.derived(result, job: job, now: $1, time: $2) } }
    }
  }
}
