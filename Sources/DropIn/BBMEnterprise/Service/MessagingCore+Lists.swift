import Foundation
import Messaging
import MessagingClient

// Requests for the elements of lists.

extension MessagingCore {
  func answerList(_ name: String, _ body: [String: Any]) {
    let type = body["type"] as? String ?? ""
    let cookie = body["cookie"] as? String ?? ""
    if name == "requestListElements" {
      answerElements(type, body["elements"] as? [[String: Any]] ?? [], cookie)
    } else {
      answerMatching(type, body["criteria"] as? [String: Any] ?? [:], cookie)
    }
  }

  private func complete(_ type: String, _ elements: [[String: Any]], _ cookie: String) {
    give("listChunk", type, elements)
    give("listAll", ["type": type, "cookie": cookie])
  }

  private func found(_ type: String, _ elements: [[String: Any]], _ cookie: String) {
    give("listElements", ["type": type, "elements": elements, "cookie": cookie])
  }

  private var sortedChats: [ChatMirror] { chats.values.sorted { $0.chat.id.text < $1.chat.id.text } }

  // MARK: all, or those that match

  private func answerMatching(_ type: String, _ criteria: [String: Any], _ cookie: String) {
    switch type {
    case "chat":
      let all = sortedChats.map { $0.element(own: own) }
      complete(type, all.filter { Self.matches($0, criteria) }, cookie)
    case "chatParticipant":
      let all = sortedChats.flatMap { $0.people(own: own) }
      complete(type, all.filter { Self.matches($0, criteria) }, cookie)
    case "chatMessage": matchingMessages(criteria, cookie)
    case "global": complete(type, globalElements(), cookie)
    case "typing": complete(type, typingElements(), cookie)
    case "user":
      guard let number = FieldValue.integer(criteria["regId"]) else { return complete(type, userElements(), cookie) }
      lookUp([RegID(number)]) { [weak self] in self?.complete(type, $0, cookie) }
    default: complete(type, [], cookie)
    }
  }

  private static func matches(_ element: [String: Any], _ criteria: [String: Any]) -> Bool {
    criteria.allSatisfy { name, wanted in
      guard let wanted = wanted as? [String: Any] else {
        return FieldValue.key(element[name]) == FieldValue.key(wanted)
      }
      return (element[name] as? [[String: Any]] ?? []).contains { matches($0, wanted) }
    }
  }

  /// Messages of all chats, or of one, whose history is fetched for it.
  private func matchingMessages(_ criteria: [String: Any], _ cookie: String) {
    let ids = (criteria["chatId"] as? String).map { [ChatID($0)] } ?? sortedChats.map(\.chat.id)
    ask { [weak self] messenger in
      for id in ids { await self?.fetchHistory(of: id, 1, UInt64.max, messenger) }
      guard let self else { return }
      var elements: [[String: Any]] = []
      for id in ids {
        guard let last = chats[id].map({ $0.lastNumber + UInt64($0.queued.count) }) else { continue }
        let first = max(chats[id]?.chat.firstMessage.value ?? 1, 1)
        // Somebody who was invited later may have no message yet.
        guard first <= last else { continue }
        for number in first...last {
          guard let element = chats[id]?.give(number, own: own), Self.matches(element, criteria) else { continue }
          elements.append(element)
        }
      }
      complete("chatMessage", elements, cookie)
    }
  }

  // MARK: single elements

  private func answerElements(_ type: String, _ keys: [[String: Any]], _ cookie: String) {
    switch type {
    case "global":
      let names = Set(keys.compactMap { $0["name"] as? String })
      found(type, globalElements().filter { names.contains($0["name"] as? String ?? "") }, cookie)
    case "chat":
      let elements = keys.compactMap { key in
        (key["chatId"] as? String).flatMap { chats[ChatID($0)]?.element(own: own) }
      }
      found(type, elements, cookie)
    case "chatParticipant", "typing":
      let all = type == "typing" ? typingElements() : sortedChats.flatMap { $0.people(own: own) }
      found(type, all.filter { element in keys.contains { Self.matches(element, $0) } }, cookie)
    case "chatMessage": messages(keys, cookie)
    case "user":
      let ids = keys.compactMap { WireNames.regId($0["uri"] as? String, own: own) }
      let wantsLocal = keys.contains { $0["uri"] as? String == BBMDSGeneratedModel.localUri }
      lookUp(ids, withLocal: wantsLocal) { [weak self] in self?.found(type, $0, cookie) }
    default: found(type, [], cookie)
    }
  }

  private func messages(_ keys: [[String: Any]], _ cookie: String) {
    var wanted: [ChatID: [UInt64]] = [:]
    for key in keys {
      guard let chat = key["chatId"] as? String, let number = FieldValue.integer(key["messageId"]) else { continue }
      wanted[ChatID(chat), default: []].append(number)
    }
    ask { [weak self, wanted] messenger in
      for (id, numbers) in wanted {
        let absent = numbers.filter { self?.chats[id]?.message($0) == nil }
        guard let first = absent.min(), let last = absent.max() else { continue }
        await self?.fetchHistory(of: id, first, last, messenger)
      }
      guard let self else { return }
      let elements = wanted.flatMap { id, numbers in numbers.compactMap { self.chats[id]?.give($0, own: self.own) } }
      found("chatMessage", elements, cookie)
    }
  }

  private func fetchHistory(of id: ChatID, _ first: UInt64, _ last: UInt64, _ messenger: Messenger) async {
    // The service gives a part of a long history at a time, from its end on.
    var end = min(last, chats[id]?.lastNumber ?? 0)
    let first = max(first, chats[id]?.chat.firstMessage.value ?? 1, 1)
    while end >= first {
      guard
        let found = try? await messenger.messages(in: id, from: MessageNumber(first), through: MessageNumber(end)),
        let oldest = found.compactMap({ $0.number?.value }).min()
      else { return }
      for message in found { chats[id]?.put(message) }
      guard oldest > first, oldest <= end else { return }
      end = oldest - 1
    }
  }

  // MARK: users

  func element(_ user: IdentityInfo) -> [String: Any] {
    [
      "uri": WireNames.uri(user.regId, own: own), "regId": "\(user.regId.value)", "pin": user.pin,
      "keyState": "Synced",
    ]
  }

  private func userElements() -> [[String: Any]] {
    users.values.sorted { $0.regId < $1.regId }.map { element($0) }
  }

  /// Users by their numbers, from the service where they are not known yet.
  private func lookUp(
    _ ids: [RegID], withLocal: Bool = false, _ done: @escaping @MainActor ([[String: Any]]) -> Void
  ) {
    let unknown = ids.filter { users[$0] == nil && $0 != own }
    ask { [weak self] messenger in
      // The service takes so many at a time.
      for start in stride(from: 0, to: unknown.count, by: MessagingLimits.lookup) {
        let part = Array(unknown[start..<min(start + MessagingLimits.lookup, unknown.count)])
        for user in (try? await messenger.identities(regIds: part)) ?? [] { self?.users[user.regId] = user }
      }
      guard let self else { return }
      var elements = ids.compactMap { self.users[$0] }.map { self.element($0) }
      // Its number may have come after the question.
      if let own, withLocal || ids.contains(own), !ids.contains(own) || users[own] == nil {
        var local: [String: Any] = ["uri": BBMDSGeneratedModel.localUri, "regId": "\(own.value)", "keyState": "Synced"]
        local["pin"] = status.pin
        elements.append(local)
      }
      done(elements)
    }
  }
}
