import Basics
import Encryption
import Signaling

/// Chat messages, signals and data of encrypted meetings: as they go out, as people see them, and while they wait for a
/// key.
extension Meeting {
  // MARK: Going out

  /// The track of messages has a key from the first message on.
  private func openMessageTrack(_ ring: KeyRing) {
    // Its key is to be there before the message is.
    if ring.setTrack(KeyRing.messageTrack, .chat, now: MonotonicClock.now) { pumpKeys() }
  }

  /// A chat message as it goes out; nil while it cannot be sealed.
  func onTheWire(_ message: SentChatMessage) -> ClientMessage? {
    guard let secret else { return message.onTheWire }
    guard let ring = secret.ring else { return nil }
    openMessageTrack(ring)
    let own = local.id
    return secret.sealed(message.id) { (messages, ring) throws(FrameDrop) in
      let text = try messages.seal(chat: message.text, of: own, with: ring, now: MonotonicClock.now)
      return .chat(text: text, to: message.recipient, id: message.id)
    }
  }

  /// A signal as it goes out; nil while it cannot be sealed.
  func onTheWire(_ signal: OutgoingSignal) -> ClientMessage? {
    guard let secret else { return signal.onTheWire }
    guard let ring = secret.ring else { return nil }
    openMessageTrack(ring)
    return secret.sealed(signal.id) { (messages, ring) throws(FrameDrop) in
      .signal(
        try messages.seal(signal.signal, with: ring, now: MonotonicClock.now), to: signal.recipient, id: signal.id)
    }
  }

  /// A text of the chat as it goes out, for changes of messages.
  func onTheWire(chat text: String) throws(JoinError) -> String {
    guard let secret else { return text }
    guard let ring = secret.ring else { throw .unreachable("The server cannot be reached just now.") }
    openMessageTrack(ring)
    do throws(FrameDrop) {
      return try secret.messages.seal(chat: text, of: local.id, with: ring, now: MonotonicClock.now)
    } catch { throw .refused(code: "internal", message: "The message could not be encrypted.") }
  }

  /// The message about a file as it goes out.
  func onTheWire(_ file: SealedFile) throws(JoinError) -> String {
    guard let secret, let ring = secret.ring, signaling?.isWelcome == true else {
      throw .unreachable("The server cannot be reached just now.")
    }
    openMessageTrack(ring)
    do throws(FrameDrop) {
      return try secret.messages.seal(file: file, of: local.id, with: ring, now: MonotonicClock.now)
    } catch { throw .refused(code: "internal", message: "The file could not be encrypted.") }
  }

  /// The payload of a data message as it goes out; nil while there are no keys.
  func onTheWire(data bytes: [UInt8]) -> [UInt8]? {
    guard let secret else { return bytes }
    guard let ring = secret.ring, signaling?.isWelcome == true else { return nil }
    openMessageTrack(ring)
    return try? secret.messages.seal(bytes, with: ring, now: MonotonicClock.now)
  }

  /// A chat message as people may see it; nil when it waits for its key.
  func opened(_ entry: ChatEntry, isHistory: Bool, mayWait: Bool = true) -> ChatEntry? {
    guard let secret else { return entry }
    var entry = entry
    if entry.deleted != nil {
      // Nobody has sealed what the server puts in its place.
      entry.text = ""
      entry.file = nil
      return entry
    }
    let sealed = entry
    // A name and a type that nobody has sealed.
    entry.file = nil
    do throws(FrameDrop) {
      guard let ring = secret.ring else { throw .noKey }
      switch try secret.messages.open(sealed, with: ring, now: MonotonicClock.now) {
      case .text(let text): entry.text = text
      case .file(let file):
        entry.text = file.file.name
        // The file is the one that its sender means, and no other message has it.
        if sealed.file?.id == file.file.id, secret.files.add(file, from: entry.from) { entry.file = file.file }
      }
    } catch {
      // Messages from before this client came have keys that it never gets.
      if mayWait, !isHistory, waits(for: error, .chat(sealed, isHistory: isHistory), from: entry.from, secret) {
        return nil
      }
      entry.text = MessageSealing.unreadable
    }
    return entry
  }

  /// A signal as the app may see it; nil when it waits for its key, or never opens.
  func opened(_ signal: Signal, from id: String?, mayWait: Bool = true) -> Signal? {
    // A signal of the app's own server is from no participant.
    guard let secret, let id else { return signal }
    do throws(FrameDrop) {
      guard let ring = secret.ring else { throw .noKey }
      return try secret.messages.open(signal, from: id, own: local.id, with: ring, now: MonotonicClock.now)
    } catch {
      if !mayWait || !waits(for: error, .signal(signal), from: id, secret) { dropped("A signal", from: id) }
      return nil
    }
  }

  /// Data as the app may see it; nil when it waits for its key, or never opens.
  func opened(_ data: ReceivedData, mayWait: Bool = true) -> ReceivedData? {
    guard let secret else { return data }
    var plain = data
    do throws(FrameDrop) {
      guard let ring = secret.ring else { throw .noKey }
      plain.bytes = try secret.messages.open(data.bytes, from: data.from, with: ring, now: MonotonicClock.now)
      return plain
    } catch {
      // A lossy message is worth something now or never.
      if !mayWait || !data.isReliable || !waits(for: error, .data(data), from: data.from, secret) {
        if data.isReliable { dropped("Data", from: data.from) }
      }
      return nil
    }
  }

  private func dropped(_ what: String, from id: String) {
    emit(.problem("\(what) from \(participant(id)?.name ?? "somebody") could not be opened, and is left out."))
  }

  // MARK: Waiting for keys

  private func waits(
    for drop: FrameDrop, _ message: MeetingSecret.Held.Message, from sender: String, _ secret: MeetingSecret
  ) -> Bool {
    switch drop {
    case .noKey, .wrongTrack, .wrongSender: break
    case .malformed, .refused: return false
    }
    guard secret.held.count < MeetingSecret.maximumHeld else { return false }
    let now = MonotonicClock.now
    secret.held.append(MeetingSecret.Held(message: message, sender: sender, end: now + MeetingSecret.patience))
    tasks.run { [weak self] in
      try? await Task.sleep(nanoseconds: UInt64(MeetingSecret.patience.nanoseconds))
      if !Task.isCancelled { self?.openHeld() }
    }
    return true
  }

  /// Tries messages again that wait, in their order. One that has waited long enough counts as unreadable.
  func openHeld() {
    guard let secret, !secret.held.isEmpty else { return }
    let waiting = secret.held
    secret.held = []
    let now = MonotonicClock.now
    for entry in waiting {
      let mayWait = now < entry.end
      let before = secret.held.count
      switch entry.message {
      case .chat(let message, let isHistory): takeChat(message, isHistory: isHistory, mayWait: mayWait)
      case .signal(let signal): takeSignal(signal, from: entry.sender, mayWait: mayWait)
      case .data(let data): takeData(data, mayWait: mayWait)
      }
      // Its time goes on from when it came.
      if secret.held.count > before { secret.held[secret.held.count - 1] = entry }
    }
  }
}
