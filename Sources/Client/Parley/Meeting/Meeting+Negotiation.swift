import RTC
import Signaling

/// Offers under way: there is never more than one.
struct NegotiationState {
  /// Whether something changed that the offer under way does not say.
  var isWanted = false
  var restartsIce = false
  /// The last number of an offer or a chat message.
  var lastID = 0
  /// The offer that waits for its answer.
  var pending: ClientMessage.Offer?
  /// Who waits for everything that is wanted now.
  var waiting: [Int: CheckedContinuation<Result<Void, JoinError>, Never>] = [:]
  var isPreparing = false
  /// Whether an answer has come that the session does not have yet, and so perhaps not the m-sections that ``Meeting/slots`` name.
  var isAnswered = false
  /// How long an answer is waited for, time in which the connection is brought back left out.
  static let patience: UInt64 = 30_000_000_000
}

extension Meeting {
  /// Makes the first offer, with everything published so far and the first slots.
  func firstOffer(_ connection: MediaConnection) async throws(JoinError) -> (String, [TrackDescription]) {
    // Who waits already is answered by the offer after this one.
    negotiation = NegotiationState(
      isWanted: !negotiation.waiting.isEmpty, lastID: negotiation.lastID, waiting: negotiation.waiting)
    for publication in local.publications { await addTrack(publication, connection) }
    guard let offer = await connection.call({ session, _ in session.createOffer(restartsIce: false) }) else {
      throw .cancelled
    }
    return (try offer.get(), tracks)
  }

  /// What is published, for signalling.
  private var tracks: [TrackDescription] {
    local.publications.compactMap { publication in
      publication.mid.map {
        TrackDescription(
          mid: $0.rawValue, source: publication.source, muted: publication.isMuted, name: publication.name)
      }
    }
  }

  private func addTrack(_ publication: LocalPublication, _ connection: MediaConnection) async {
    let publisher = publication.publisher
    let (kind, rids, source) = (publisher.kind, publisher.rids, publication.source)
    let codecs = publisher.codecs(outOf: options.codecs)
    guard publication.mid == nil, publication.addedTo !== connection else { return }
    publication.addedTo = connection
    let mid = await connection.call { session, now in
      session.addTrack(kind, codecs: codecs, rids: rids, publisher: publisher, source: source, now: now)
    }
    // A rejoin may have begun meanwhile, which adds it to its own connection.
    guard let mid, self.connection === connection else { return }
    if local.publications.contains(where: { $0 === publication }) {
      publication.mid = mid
    } else {
      connection.post { $0.stopTrack(mid, now: $1) }
    }
  }

  /// Takes a new publication into the connection, when there is one. Otherwise ``catchUp()`` does, once there is.
  func takeUp(_ publication: LocalPublication) async throws(JoinError) {
    guard state != .ended else { throw .ended }
    guard let connection, negotiationIsPossible else { return }
    await addTrack(publication, connection)
    do throws(JoinError) {
      try await negotiate()
    } catch {
      // The connection was lost meanwhile: the next one takes the track along.
      guard error == .cancelled, state != .ended, self.connection !== connection else { throw error }
    }
  }

  /// Takes in what was published while the meeting was being joined, and is not in the first offer.
  func catchUp() {
    guard let connection, local.publications.contains(where: { $0.mid == nil }) else { return }
    tasks.run { [weak self] in
      for publication in self?.local.publications ?? [] where publication.mid == nil {
        await self?.addTrack(publication, connection)
      }
      do throws(JoinError) {
        try await self?.negotiate()
      } catch {
        guard let self, self.state != .ended, self.connection === connection else { return }
        self.emit(.problem("What was published while joining could not be sent: \(error)"))
      }
    }
  }

  private var negotiationIsPossible: Bool { joinedOnce && !connectionState.rejoining }

  /// Takes a publication out of the connection.
  func giveUp(_ publication: LocalPublication) async {
    guard let mid = publication.mid, let connection else { return }
    publication.mid = nil
    connection.post { $0.stopTrack(mid, now: $1) }
    await renegotiate()
  }

  /// Makes an offer of everything as it is, and waits for the answer. Calls that come meanwhile share the next offer. Gives up waiting after
  /// ``NegotiationState/patience`` and when the task is cancelled; the offer goes on.
  func negotiate(restartsIce: Bool = false) async throws(JoinError) {
    guard state != .ended else { throw .ended }
    negotiation.isWanted = true
    negotiation.restartsIce = negotiation.restartsIce || restartsIce
    let waiter = nextID()
    let timer = Task { [weak self] in
      repeat {
        try? await Task.sleep(nanoseconds: NegotiationState.patience)
      } while (self?.state == .reconnecting || self?.state == .waiting)
        && !Task.isCancelled
      self?.stopWaiting(
        waiter, .timedOut("The server did not answer an offer within 30 s. Try again, or leave and join again."))
    }
    defer { timer.cancel() }
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { (continuation: CheckedContinuation<Result<Void, JoinError>, Never>) in
        guard !Task.isCancelled else { return continuation.resume(returning: .failure(.cancelled)) }
        negotiation.waiting[waiter] = continuation
        Task { await self.offerNext() }
      }
    } onCancel: {
      Task { @MainActor [weak self] in self?.stopWaiting(waiter, .cancelled) }
    }
    try result.get()
  }

  /// As ``negotiate(restartsIce:)``, for nobody who could be told of a refusal: that is reported as a ``MeetingEvent/problem(_:)``.
  func renegotiate(restartsIce: Bool = false) async {
    let connection = connection
    do throws(JoinError) {
      try await negotiate(restartsIce: restartsIce)
    } catch {
      guard error != .cancelled, state != .ended, self.connection === connection else { return }
      emit(
        .problem(
          "What has changed in the meeting could not be agreed on with the server, so somebody may be missing here: \(error)"
        ))
    }
  }

  private func stopWaiting(_ waiter: Int, _ error: JoinError) {
    negotiation.waiting.removeValue(forKey: waiter)?.resume(returning: .failure(error))
  }

  /// Sends the next offer when one is wanted, none is under way, and the server has let this client in.
  func offerNext() async {
    guard negotiation.isWanted, negotiation.pending == nil, !negotiation.isPreparing, place?.isWelcome == true,
      let connection
    else { return }
    negotiation.isPreparing = true
    negotiation.isWanted = false
    let restartsIce = negotiation.restartsIce
    negotiation.restartsIce = false
    let offer = await connection.call { session, _ in session.createOffer(restartsIce: restartsIce) }
    guard self.connection === connection else { return }
    negotiation.isPreparing = false
    switch offer {
    case .success(let text)?:
      let pending = ClientMessage.Offer(id: nextID(), offer: text, tracks: tracks)
      negotiation.pending = pending
      send(.offer(pending))
    case .failure(let error)?: settle(.failure(error))
    case nil: settle(.failure(.cancelled))
    }
  }

  func takeAnswer(id: Int, answer: String, slots: [SlotInfo]) {
    guard negotiation.pending?.id == id, let connection else { return }
    // Now: while the session takes the answer, a message may bring newer ones.
    self.slots = slots
    negotiation.isAnswered = true
    Task {
      let problem = await self.setAnswer(answer, connection)
      guard self.connection === connection, self.negotiation.pending?.id == id else { return }
      self.negotiation.pending = nil
      self.negotiation.isAnswered = false
      self.applySlots()
      if let problem {
        self.settle(.failure(.mediaFailed(problem)))
      } else {
        if self.negotiation.isWanted { await self.offerNext() } else { self.settle(.success(())) }
      }
    }
  }

  /// Gives an answer to the session; what is wrong with it in words, or nil.
  func setAnswer(_ answer: String, _ connection: MediaConnection) async -> String? {
    let outcome = await connection.call { $0.setAnswer(answer, connection: connection, now: $1) }
    if case .failure(let error)? = outcome { return error.description }
    return nil
  }

  /// The server refused an offer. False when it is not one of ours.
  func takeRefusal(id: Int, _ error: JoinError) -> Bool {
    guard negotiation.pending?.id == id else { return false }
    negotiation.pending = nil
    // A server may refuse what it has just answered: slots are not to wait for that answer.
    negotiation.isAnswered = false
    settle(.failure(error))
    return true
  }

  /// After a resume: the offer that may have been lost is sent again.
  func repeatOffer() {
    if let pending = negotiation.pending { send(.offer(pending)) }
  }

  private func settle(_ result: Result<Void, JoinError>) {
    let waiting = negotiation.waiting
    negotiation.waiting = [:]
    for waiter in waiting.values { waiter.resume(returning: result) }
    if negotiation.isWanted { Task { await self.offerNext() } }
  }

  /// The connection is gone, and with it every offer.
  func failNegotiation() {
    negotiation.isWanted = false
    negotiation.pending = nil
    negotiation.isPreparing = false
    negotiation.isAnswered = false
    settle(.failure(.cancelled))
  }
}
