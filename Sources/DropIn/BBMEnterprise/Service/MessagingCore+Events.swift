import Messaging
import MessagingClient

/// Translates events of the client to messages of the SDK, and keeps the SDK's globals, which follow from them.
extension MessagingCore {
  func receive(_ event: MessengerEvent) {
    if isWiping {
      if case .wiped = event { isWiping = false }
      return
    }
    switch event {
    case .status(let status): take(status)
    case .syncFailed(let error):
      var body = ["error": WireNames.error(error)]
      body["detail"] = WireNames.detail(error)
      give("syncError", body)
    case .setupFailed(let failure): give("setupError", ["error": failure.code.rawValue, "message": failure.message])
    case .deregistered:
      unanswered.removeAll()
      chats = [:]
      users = [:]
      globals = [:]
      give("endpointDeregistered", [:])
    case .wiped: break
    case .syncing(let isSyncing):
      self.isSyncing = isSyncing
      giveGlobals()
      connectivityChanged?(status.isConnected, status.isConnected && !isSyncing)
    case .chatAdded(let chat): take(chat)
    case .chatChanged(let chat): take(chat)
    case .chatRemoved(let id): remove(id)
    case .messageAdded(let message), .messageChanged(let message): take(message)
    case .messageDiscarded(let chat, let cookie):
      chats[chat]?.removeQueued(cookie)
      giveMessages(chat, around: nil)
    case .messageDeleted(let chat, let number):
      chats[chat]?.remove(number)
      give("listRemove", "chatMessage", [["chatId": chat.text, "messageId": "\(number.value)"]])
    case .fileProgress(let progress): take(progress)
    case .typing(let chat, let id, let tag): showTyping(chat, id, tag)
    case .chatEvent(let chat, let id, let tag, let data):
      var body: [String: Any] = ["chatId": chat.text, "userUri": WireNames.uri(id, own: own), "tag": tag]
      body["data"] = WireNames.object(data)
      give("chatEvent", body)
    case .call(let event): callChanged?(event)
    case .endpointsChanged: break
    case .warning(let warning): give("securityWarning", WireNames.fields(warning))
    case .storeFailed: report("What came cannot be stored. The server keeps it until it can.")
    }
  }

  private func take(_ new: SetupStatus) {
    let old = status
    let couldAsk = canAsk
    status = new
    if canAsk, !couldAsk { askAgain() }
    // The user first: with the state that follows, apps ask for its number.
    if new.regId != old.regId, let regId = new.regId {
      var user: [String: Any] = ["uri": BBMDSGeneratedModel.localUri, "regId": "\(regId.value)", "keyState": "Synced"]
      user["pin"] = new.pin
      give("listAdd", "user", [user])
      // Their senders and flags depend on it.
      for id in chats.keys.sorted(by: { $0.text < $1.text }) {
        if let chat = chats[id]?.chat { take(chat) }
        giveMessages(id, around: nil, all: true)
      }
    }
    giveGlobals()
    if new.isConnected != old.isConnected {
      connectivityChanged?(new.isConnected, new.isConnected && !isSyncing)
    }
  }

  /// Gives the globals that are other ones now.
  func giveGlobals() {
    let now = globalElements()
    let changed = now.filter { !FieldValue.isSame($0["value"], globals[$0["name"] as? String ?? ""]) }
    for each in now { globals[each["name"] as? String ?? ""] = each["value"] }
    give("listAdd", "global", changed)
  }

  func globalElements() -> [[String: Any]] {
    var setup: [String: Any] = ["state": WireNames.capitalized(status.state.rawValue)]
    if status.progress != .none { setup["progressMessage"] = WireNames.capitalized(status.progress.rawValue) }
    // The token's state before the setup's, which apps read together.
    var values: [(String, Any)] = [
      ("authTokenState", WireNames.capitalized(status.authToken.rawValue)),
      ("syncPasscodeState", WireNames.capitalized(status.syncPasscode.rawValue)),
      ("profileKeysState", WireNames.capitalized(status.profileKeys.rawValue)),
      ("setupAccount", WireNames.capitalized(status.account.rawValue)), ("syncing", isSyncing),
      ("chatMessageFileAutoDownload", downloadsFiles), ("setupState", setup),
    ]
    if status.regId != nil { values.append(("localUri", BBMDSGeneratedModel.localUri)) }
    if let pin = status.pin { values.append(("localPin", pin)) }
    if let endpoint = status.endpoint { values.append(("endpointId", endpoint.text)) }
    if let token = status.registrationToken { values.append(("registrationToken", token)) }
    return values.map { ["name": $0, "value": $1] }
  }
}
