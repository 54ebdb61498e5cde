import Foundation
import UIKit
import SkypeForBusiness

/// Logs every change of a conversation, by the names under which the SDK's properties are observed, so that a test can
/// compare a whole journey. Active speakers are left out: they depend on loudness and time. It is a responder since
/// those can observe by name, screens or not.
@MainActor final class Recorder: UIResponder {
  private var names: [ObjectIdentifier: String] = [:]
  /// The observed objects, kept so that their places in memory aren't used again.
  private var observed: [AnyObject] = []
  private let options: NSKeyValueObservingOptions = [.new, .old]

  init(_ conversation: SfBConversation) {
    super.init()
    observe(conversation, "conversation", "state", "subject", "remoteParticipants", "canLeave") {
      conversation.addObserver(self, forKeyPath: $0, options: options)
    }
    let chat = conversation.chatService
    observe(chat, "chatService", "canStart", "canStop", "canSendMessage") {
      chat.addObserver(self, forKeyPath: $0, options: options)
    }
    let audio = conversation.audioService
    observe(audio, "audioService", "canStart", "canStop", "muted", "isOnHold", "canSetHold", "canToggleMute") {
      audio.addObserver(self, forKeyPath: $0, options: options)
    }
    let video = conversation.videoService
    observe(video, "videoService", "canStart", "canStop", "activeCamera", "canSetActiveCamera", "canSetPaused") {
      video.addObserver(self, forKeyPath: $0, options: options)
    }
    let history = conversation.historyService
    observe(history, "historyService", "activityItems") {
      history.addObserver(self, forKeyPath: $0, options: options)
    }
    observe(conversation.selfParticipant, "myself")
  }

  private func observe(_ participant: SfBParticipant, _ name: String) {
    observe(participant, name, "state", "role") { participant.addObserver(self, forKeyPath: $0, options: options) }
    let (person, chat) = (participant.person, participant.chat)
    observe(person, name + ".person", "displayName") { person.addObserver(self, forKeyPath: $0, options: options) }
    observe(chat, name + ".chat", "state", "isTyping") { chat.addObserver(self, forKeyPath: $0, options: options) }
    let (audio, video) = (participant.audio, participant.video)
    observe(audio, name + ".audio", "state", "isOnHold", "isMuted", "canSetMuted") {
      audio.addObserver(self, forKeyPath: $0, options: options)
    }
    observe(video, name + ".video", "state", "isPaused", "canSubscribe") {
      video.addObserver(self, forKeyPath: $0, options: options)
    }
  }

  private func observe(_ object: AnyObject, _ name: String, _ keys: String..., add: (String) -> Void) {
    guard names[ObjectIdentifier(object)] == nil else { return }
    names[ObjectIdentifier(object)] = name
    observed.append(object)
    keys.forEach(add)
  }

  override func observeValue(
    forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?, context: UnsafeMutableRawPointer?
  ) {
    guard let object = object as AnyObject?, let name = names[ObjectIdentifier(object)], let change else { return }
    let kind = (change[.kindKey] as? UInt).flatMap(NSKeyValueChange.init) ?? .setting
    let what = "\(name).\(keyPath ?? "")"
    switch kind {
    case .insertion: note(what, "+ \(describe(change[.newKey]))")
    case .removal: note(what, "- \(describe(change[.oldKey]))")
    case .setting, .replacement: note(what, describe(change[.newKey], of: object, keyPath))
    }
    guard kind == .insertion else { return }
    for participant in change[.newKey] as? [SfBParticipant] ?? [] {
      observe(participant, participant.person.displayName)
    }
    for case let item as SfBMessageActivityItem in change[.newKey] as? [SfBConversationActivityItem] ?? [] {
      observe(item, "“\(item.text)”", "status") { item.addObserver(self, forKeyPath: $0, options: options) }
    }
  }

  private func note(_ what: String, _ value: String) { Journal.note("observed", ["what": what, "value": value]) }

  /// A number by its name: enumerations and Booleans are observed as numbers.
  private func describe(_ value: Any?, of object: AnyObject, _ key: String?) -> String {
    guard let number = value as? NSNumber else { return describe(value) }
    let raw = number.int32Value
    return switch (object, key) {
    case (is SfBConversation, "state"): describe(SfBConversationState(rawValue: raw))
    case (is SfBParticipant, "state"): describe(SfBParticipantState(rawValue: raw))
    case (is SfBParticipantService, "state"): describe(SfBParticipantServiceState(rawValue: raw))
    case (_, "role"): describe(SfBParticipantRole(rawValue: raw))
    case (_, "muted"): describe(SfBAudioServiceMuteState(rawValue: raw))
    case (_, "status"): describe(SfBMessageStatus(rawValue: raw))
    default: describe(number.boolValue)
    }
  }

  private func describe(_ value: Any?) -> String {
    switch value {
    case let people as [SfBParticipant]: people.map(\.person.displayName).joined(separator: ", ")
    case let items as [SfBConversationActivityItem]: items.map(describe).joined(separator: ", ")
    case let camera as SfBCamera: camera.description
    case nil, is NSNull: "none"
    case let value?: "\(value)"
    }
  }

  private func describe(_ item: SfBConversationActivityItem) -> String {
    switch item {
    case let message as SfBMessageActivityItem: "\(message.direction) “\(message.text)” \(message.status)"
    case let person as SfBParticipantActivityItem: "\(person.type) \(person.person.displayName)"
    default: "\(item.type)"
    }
  }
}
