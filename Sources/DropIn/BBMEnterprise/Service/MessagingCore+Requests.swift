import Basics
import Foundation
import Messaging
import MessagingClient

// Messages of the app.

extension MessagingCore {
  func send(_ message: [String: Any]) {
    for (name, body) in message { handle(name, Fields(body as? [String: Any] ?? [:])) }
  }

  /// The fields of a message.
  @MainActor struct Fields {
    let values: [String: Any]
    init(_ values: [String: Any]) { self.values = values }

    var cookie: String { text("cookie") ?? "" }
    var chat: ChatID { ChatID(text("chatId") ?? "") }
    /// `chatMessageDelete` has it as `id` in some versions of the SDK.
    var number: MessageNumber { MessageNumber(FieldValue.integer(values["messageId"] ?? values["id"]) ?? 0) }
    func text(_ name: String) -> String? { values[name] as? String }
    func texts(_ name: String) -> [String] { values[name] as? [String] ?? [] }
    /// The numbers of identities, in a list of objects or of numbers.
    func regIds(_ name: String) -> [RegID] {
      (values[name] as? [Any] ?? []).compactMap { each in
        FieldValue.integer((each as? [String: Any])?["regId"] ?? each).map { RegID($0) }
      }
    }
  }

  private func handle(_ name: String, _ fields: Fields) {
    switch name {
    case "requestListAll", "requestListMatching", "requestListElements": answerList(ListRequest(name, fields.values))
    case "requestListChange": change(fields)
    case "authToken", "setupRetry", "syncStart", "syncPasscodeChange", "retryServerRequests": setUp(name, fields)
    case "endpointsGet", "endpointUpdate", "endpointDeregister": handleEndpoints(name, fields)
    case "identitiesGet", "requestPin": handleIdentities(name, fields)
    case "profileKeysExport", "profileKeysImport": handleKeys(name, fields)
    case "search": search(fields)
    default: handleChat(name, fields)
    }
  }

  // MARK: setup

  private func setUp(_ name: String, _ fields: Fields) {
    switch name {
    case "authToken":
      let token = AuthToken(userId: fields.text("userId") ?? "", token: fields.text("authToken") ?? "")
      run { [weak self] in await self?.messenger?.give(token) }
    case "setupRetry": run { [weak self] in await self?.messenger?.retrySetup() }
    case "syncStart":
      let passcode = Passcode(fields.text("passcode") ?? "")
      let action: SyncAction = fields.text("action") == "New" ? .new : .existing
      run { [weak self] in await self?.messenger?.give(passcode: passcode, action) }
    case "syncPasscodeChange":
      let passcode = Passcode(fields.text("passcode") ?? "")
      ask { [weak self] messenger in
        var body: [String: Any] = ["result": "Success", "cookie": fields.cookie]
        do throws(MessengerError) { try await messenger.changePasscode(passcode) } catch {
          body["result"] = "TemporaryFailure"
          if case .passcode(let reason) = error { body["detail"] = WireNames.detail(reason) }
        }
        self?.give("syncPasscodeChangeResult", body)
      }
    default:
      ask { await $0.retryNow() }
      if canAsk { askAgain() }
      retryDownloads()
    }
  }

  /// Keys in domains whose key management is off.
  private func handleKeys(_ name: String, _ fields: Fields) {
    ask { [weak self] messenger in
      if name == "profileKeysExport" {
        guard let keys = try? await messenger.exportProfileKeys() else { return }
        self?.give(
          "profileKeys",
          [
            "publicKeys": ["signing": keys.publicSigning, "encryption": keys.publicEncryption],
            "privateKeys": ["signing": keys.privateSigning.value, "encryption": keys.privateEncryption.value],
          ])
        return
      }
      guard let publicKeys = BBMKeyPair(fields.values["publicKeys"]),
        let privateKeys = BBMKeyPair(fields.values["privateKeys"]),
        (try? await messenger.importProfileKeys(
          ProfileKeys(
            publicSigning: publicKeys.signing, publicEncryption: publicKeys.encryption,
            privateSigning: Secret(privateKeys.signing), privateEncryption: Secret(privateKeys.encryption)))) != nil
      else {
        self?.give("profileKeysImportFailure", [:])
        return
      }
    }
  }

  // MARK: endpoints and identities

  private func handleEndpoints(_ name: String, _ fields: Fields) {
    ask { [weak self] messenger in
      var body: [String: Any] = ["result": "Success", "cookie": fields.cookie]
      switch name {
      case "endpointsGet":
        do throws(MessengerError) {
          let found = try await messenger.endpoints()
          body["maxEndpoints"] = found.maximum
          body["registeredEndpoints"] = found.endpoints.map { endpoint -> [String: Any] in
            [
              "endpointId": endpoint.endpointId.text, "description": endpoint.description,
              "nickname": endpoint.nickname, "isCurrent": endpoint.isCurrent,
            ]
          }
        } catch { body["result"] = "Failure" }
        self?.give("endpoints", body)
      case "endpointUpdate":
        await messenger.describe(
          EndpointDescription(description: fields.text("description") ?? "", nickname: fields.text("nickname") ?? ""))
        self?.give("endpointUpdateResult", body)
      default:
        do throws(MessengerError) {
          try await messenger.deregister(EndpointID(fields.text("endpointId") ?? ""))
        } catch { body["result"] = "Failure" }
        self?.give("endpointDeregisterResult", body)
      }
    }
  }

  private func handleIdentities(_ name: String, _ fields: Fields) {
    let users = (fields.values["appUserIds"] as? [String]) ?? []
    let numbers = fields.regIds("regIds")
    ask { [weak self] messenger in
      var found: [IdentityInfo] = []
      var result = "Success"
      do throws(MessengerError) {
        // The service takes so many at a time.
        for part in Self.parts(of: users) { found += try await messenger.identities(appUserIds: part) }
        for part in Self.parts(of: numbers) { found += try await messenger.identities(regIds: part) }
      } catch { result = "Failure" }
      guard let self else { return }
      for user in found { self.users[user.regId] = user }
      give("listAdd", "user", found.map { self.element($0) })
      if name == "requestPin" {
        let pins = found.map { ["regId": "\($0.regId.value)", "pin": $0.pin] }
        give("pinResult", ["cookie": fields.cookie, "result": result, "pins": pins])
      } else {
        let info = found.map { ["regId": "\($0.regId.value)", "appUserId": $0.appUserId] }
        give("identities", ["cookie": fields.cookie, "result": result, "info": info])
      }
    }
  }

  static func parts<Value>(of all: [Value]) -> [[Value]] {
    stride(from: 0, to: all.count, by: MessagingLimits.lookup).map {
      Array(all[$0..<min($0 + MessagingLimits.lookup, all.count)])
    }
  }

  // MARK: changes of elements

  private func change(_ fields: Fields) {
    for element in fields.values["elements"] as? [[String: Any]] ?? [] {
      let element = Fields(element)
      switch fields.text("type") {
      case "global":
        if element.text("name") == "profileKeysState" {
          run { [weak self] in await self?.messenger?.profileKeysSynced() }
        } else if element.text("name") == "chatMessageFileAutoDownload" {
          downloadsFiles = FieldValue.bool(element.values["value"]) ?? true
          giveGlobals()
        }
      case "chat": changeChat(element)
      case "chatMessage":
        guard chats[element.chat] != nil, let data = WireNames.text(element.values["localData"]) else { continue }
        chats[element.chat]?.local.messages["\(element.number.value)"] = data
        writeLocal(element.chat, chats[element.chat]?.local)
        giveMessages(element.chat, around: chats[element.chat]?.message(element.number.value))
      default: break
      }
    }
  }

  private func changeChat(_ element: Fields) {
    guard let chat = chats[element.chat]?.chat else { return }
    for name in ["localData", "privateData"] {
      if let data = WireNames.text(element.values[name]) { chats[chat.id]?.local.chat[name] = data }
    }
    writeLocal(chat.id, chats[chat.id]?.local)
    take(chat)
    let subject = element.text("subject")
    let data = WireNames.text(element.values["data"])
    guard subject != nil || data != nil else { return }
    ask { try? await $0.update(chat.id, subject: subject, data: data) }
  }

  // MARK: searching

  /// Searches the messages that are on this endpoint.
  private func search(_ fields: Fields) {
    let text = (fields.text("text") ?? "").lowercased()
    let most = max(FieldValue.integer(fields.values["suggestedMaxResults"]).map { Int(clamping: $0) } ?? 100, 1)
    var found: [(time: Int64, result: [String: Any])] = []
    for mirror in chats.values where !text.isEmpty {
      for (number, message) in mirror.messages where message.content.text?.lowercased().contains(text) == true {
        found.append((message.time.milliseconds, ["chatId": mirror.chat.id.text, "messageId": "\(number)"]))
      }
    }
    let results = found.sorted { $0.time > $1.time }.prefix(most).map(\.result)
    give("searchResult", ["cookie": fields.cookie, "results": Array(results)])
  }
}
