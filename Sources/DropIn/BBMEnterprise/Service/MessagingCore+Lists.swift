import Foundation
import Messaging
import MessagingClient

// Requests for the elements of lists.

extension MessagingCore {
  func answerList(_ request: ListRequest) {
    if let keys = request.keys { answerElements(request, keys) } else { answerMatching(request) }
  }

  /// Gives the elements of a request. If the service could not be asked for the rest, the request is not answered yet.
  private func give(_ elements: [[String: Any]], isAll: Bool = true, to request: ListRequest) {
    let type = request.type
    guard isAll else {
      give("listChunk", type, elements)
      return postpone(request)
    }
    if request.keys != nil {
      give("listElements", ["type": type, "elements": elements, "cookie": request.cookie])
    } else {
      give("listChunk", type, elements)
      give("listAll", ["type": type, "cookie": request.cookie])
    }
  }

  private var sortedChats: [ChatMirror] { chats.values.sorted { $0.chat.id.text < $1.chat.id.text } }

  // MARK: all, or those that match

  private func answerMatching(_ request: ListRequest) {
    let criteria = request.criteria
    switch request.type {
    case "chat":
      let all = sortedChats.map { $0.element(own: own) }
      give(all.filter { Self.matches($0, criteria) }, to: request)
    case "chatParticipant":
      let all = sortedChats.flatMap { $0.people(own: own) }
      give(all.filter { Self.matches($0, criteria) }, to: request)
    case "chatMessage": matchingMessages(request)
    case "global": give(globalElements(), to: request)
    case "typing": give(typingElements(), to: request)
    case "user":
      guard let number = FieldValue.integer(criteria["regId"]) else { return give(userElements(), to: request) }
      lookUp([RegID(number)]) { [weak self] in self?.give($0, isAll: $1, to: request) }
    default: give([], to: request)
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
  private func matchingMessages(_ request: ListRequest) {
    let criteria = request.criteria
    let ids = (criteria["chatId"] as? String).map { [ChatID($0)] } ?? sortedChats.map(\.chat.id)
    ask { [weak self] messenger in
      var isAll = true
      for id in ids where await self?.fetchHistory(of: id, 1, UInt64.max, messenger) == false { isAll = false }
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
      give(elements, isAll: isAll, to: request)
    }
  }

  // MARK: single elements

  private func answerElements(_ request: ListRequest, _ keys: [[String: Any]]) {
    switch request.type {
    case "global":
      let names = Set(keys.compactMap { $0["name"] as? String })
      give(globalElements().filter { names.contains($0["name"] as? String ?? "") }, to: request)
    case "chat":
      let elements = keys.compactMap { key in
        (key["chatId"] as? String).flatMap { chats[ChatID($0)]?.element(own: own) }
      }
      give(elements, to: request)
    case "chatParticipant", "typing":
      let all = request.type == "typing" ? typingElements() : sortedChats.flatMap { $0.people(own: own) }
      give(all.filter { element in keys.contains { Self.matches(element, $0) } }, to: request)
    case "chatMessage": messages(keys, request)
    case "user":
      let ids = keys.compactMap { WireNames.regId($0["uri"] as? String, own: own) }
      let wantsLocal = keys.contains { $0["uri"] as? String == BBMDSGeneratedModel.localUri }
      lookUp(ids, withLocal: wantsLocal) { [weak self] in self?.give($0, isAll: $1, to: request) }
    default: give([], to: request)
    }
  }

  private func messages(_ keys: [[String: Any]], _ request: ListRequest) {
    var wanted: [ChatID: [UInt64]] = [:]
    for key in keys {
      guard let chat = key["chatId"] as? String, let number = FieldValue.integer(key["messageId"]) else { continue }
      wanted[ChatID(chat), default: []].append(number)
    }
    ask { [weak self, wanted] messenger in
      var isAll = true
      for (id, numbers) in wanted {
        let absent = numbers.filter { self?.chats[id]?.message($0) == nil }
        guard let first = absent.min(), let last = absent.max() else { continue }
        if await self?.fetchHistory(of: id, first, last, messenger) == false { isAll = false }
      }
      guard let self else { return }
      let elements = wanted.flatMap { id, numbers in numbers.compactMap { self.chats[id]?.give($0, own: self.own) } }
      give(elements, isAll: isAll, to: request)
    }
  }

  /// False when the service could not be asked for all of it.
  func fetchHistory(of id: ChatID, _ first: UInt64, _ last: UInt64, _ messenger: Messenger) async -> Bool {
    // The service gives a part of a long history at a time, from its end on.
    var end = min(last, chats[id]?.lastNumber ?? 0)
    let first = max(first, chats[id]?.chat.firstMessage.value ?? 1, 1)
    while end >= first {
      let found: [Message]
      do throws(MessengerError) {
        found = try await messenger.messages(in: id, from: MessageNumber(first), through: MessageNumber(end))
      } catch {
        return !error.isTemporary
      }
      guard let oldest = found.compactMap({ $0.number?.value }).min() else { return true }
      for message in found { chats[id]?.put(message) }
      guard oldest > first, oldest <= end else { return true }
      end = oldest - 1
    }
    return true
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

  /// Users by their numbers, from the service where they are not known yet, and whether it could be asked.
  private func lookUp(
    _ ids: [RegID], withLocal: Bool = false,
    _ done: @escaping @MainActor (_ elements: [[String: Any]], _ isAll: Bool) -> Void
  ) {
    let unknown = ids.filter { users[$0] == nil && $0 != own }
    ask { [weak self] messenger in
      var isAll = true
      for part in Self.parts(of: unknown) {
        do throws(MessengerError) {
          for user in try await messenger.identities(regIds: part) { self?.users[user.regId] = user }
        } catch {
          if error.isTemporary { isAll = false }
        }
      }
      guard let self else { return }
      var elements = ids.compactMap { self.users[$0] }.map { self.element($0) }
      // Its number may have come after the question.
      if let own, withLocal || ids.contains(own), !ids.contains(own) || users[own] == nil {
        var local: [String: Any] = ["uri": BBMDSGeneratedModel.localUri, "regId": "\(own.value)", "keyState": "Synced"]
        local["pin"] = status.pin
        elements.append(local)
      }
      done(elements, isAll)
    }
  }
}
