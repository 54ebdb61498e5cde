import RTC
import Signaling

extension Meeting {
  /// Makes the first offer, with everything published so far and the first slots.
  func firstOffer(_ connection: MediaConnection) async throws(JoinError) -> (String, [TrackDescription]) {
    negotiation.restart()
    for publication in local.publications { await addTrack(publication, connection) }
    guard let offer = await connection.call({ session, _ in session.createOffer(restartsIce: false) }) else {
      throw .cancelled
    }
    return (try offer.get(), tracks)
  }

  /// The publications, for signalling.
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
    // A rejoin may have begun, which adds it to its own connection.
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
      // The connection was lost: the next one takes the track along.
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

  /// Makes an offer of everything as it is, and waits for the answer. Calls that come during it share the next offer.
  /// Gives up waiting after ``Negotiation/answerTimeout`` and when the task is cancelled; the offer goes on.
  func negotiate(restartsIce: Bool = false) async throws(JoinError) {
    guard state != .ended else { throw .ended }
    negotiation.request(restartsIce: restartsIce)
    let waiter = nextID()
    let timer = Task { [weak self] in
      repeat {
        try? await Task.sleep(nanoseconds: Negotiation.answerTimeout)
      } while (self?.state == .reconnecting || self?.state == .waiting)
        && !Task.isCancelled
      self?.stopWaiting(
        waiter, .timedOut("The server did not answer an offer within 30 s. Try again, or leave and join again."))
    }
    defer { timer.cancel() }
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { (continuation: CheckedContinuation<Result<Void, JoinError>, Never>) in
        guard !Task.isCancelled else { return continuation.resume(returning: .failure(.cancelled)) }
        negotiation.wait(waiter) { continuation.resume(returning: $0) }
        Task { await self.offerNext() }
      }
    } onCancel: {
      Task { @MainActor [weak self] in self?.stopWaiting(waiter, .cancelled) }
    }
    try result.get()
  }

  /// As ``negotiate(restartsIce:)``, without a caller: a refusal is reported as a ``MeetingEvent/problem(_:)``.
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
    negotiation.stopWaiting(waiter, error)
  }

  /// Sends the next offer when one is wanted, none is under way, and the server has let this client in.
  func offerNext() async {
    guard signaling?.isWelcome == true, let connection, let restartsIce = negotiation.beginOffer() else { return }
    let offer = await connection.call { session, _ in session.createOffer(restartsIce: restartsIce) }
    guard self.connection === connection else { return }
    negotiation.endPreparing()
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
    guard let connection, negotiation.receiveAnswer(to: id) else { return }
    // Now: while the session takes the answer, a message may bring newer ones.
    self.slots.all = slots
    Task {
      let problem = await self.setAnswer(answer, connection)
      guard self.connection === connection, self.negotiation.finish(id) else { return }
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
    // A server may refuse what it has just answered: slots are not to wait for that answer.
    guard negotiation.finish(id) else { return false }
    settle(.failure(error))
    return true
  }

  /// After a resume: the offer that may have been lost is sent again.
  func repeatOffer() {
    if let pending = negotiation.pending { send(.offer(pending)) }
  }

  private func settle(_ result: Result<Void, JoinError>) {
    if negotiation.settle(result) { Task { await self.offerNext() } }
  }

  /// The connection is gone, and with it every offer.
  func failNegotiation() {
    negotiation.fail()
    settle(.failure(.cancelled))
  }
}
