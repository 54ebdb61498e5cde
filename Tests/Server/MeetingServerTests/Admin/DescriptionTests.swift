import Basics
import Foundation
import Meetings
import Signaling
import TestSupport
import Testing

@testable import MeetingServer

@Suite("The description of the administration's interface")
struct DescriptionTests {
  /// The meaning of each list of words in the description, by its schema and property where one name means several
  /// things.
  private static let words: [String: [String]] = [
    "signIn": SignInMode.allCases.map(\.rawValue), "accessLevel": AccessLevel.allCases.map(\.rawValue),
    "encryption": EncryptionPolicy.allCases.map(\.rawValue),
    "tokenExpiry": TokenExpiry.allCases.map(\.rawValue), "chatWriters": ChatWriters.allCases.map(\.rawValue),
    "Chat.writers": ChatWriters.allCases.map(\.rawValue), "Meeting.kind": MeetingRecord.Kind.allCases.map(\.rawValue),
    "Publication.kind": Set(TrackSource.allCases.map(\.kind)).map(\.rawValue),
    "source": TrackSource.allCases.map(\.rawValue), "role": Role.allCases.map(\.rawValue),
    "permissions": Permissions.allNames, "connection": ConnectionState.allCases.map(\.rawValue),
    "quality": ConnectionQuality.allCases.map(\.rawValue),
    "events": WebhookEventType.allCases.filter { $0 != .test }.map(\.rawValue),
    "Delivery.type": WebhookEventType.allCases.map(\.rawValue),
    "Delivery.state": WebhookDelivery.State.allCases.map(\.rawValue),
    "parameters.state": WebhookDelivery.State.allCases.map(\.rawValue),
    "Key.state": KeyView.State.allCases.map(\.rawValue), "SeenToken.state": TokenRecord.State.allCases.map(\.rawValue),
    "form": TokenForm.allCases.map(\.rawValue), "early": MeetingSchedule.EntryTimes.Early.allCases.map(\.rawValue),
    "environment": MessagingDomain.Environment.allCases.map(\.rawValue), "authentication": DomainFields.kinds,
    "format": ChatExport.Format.allCases.map(\.rawValue),
  ]

  @Test(
    "each list of words in the description is the code's, and no list is unchecked")
  func lists() throws {
    let file = try Data(contentsOf: Repository.file("Web/admin/openapi.json"))
    let document = try JSONSerialization.jsonObject(with: file) as? [String: Any] ?? [:]
    var seen = Set<String>()
    // `owner` is the schema, `name` the property or parameter that a value is in.
    func look(_ value: Any, owner: String, name: String) {
      if let list = value as? [Any] {
        for entry in list { look(entry, owner: owner, name: name) }
        return
      }
      guard let object = value as? [String: Any] else { return }
      let name = object["in"] != nil ? object["name"] as? String ?? name : name
      if let found = object["enum"] as? [Any] {
        let key = Self.words["\(owner).\(name)"] != nil ? "\(owner).\(name)" : name
        seen.insert(key)
        // Null takes a setting back.
        let words = found.compactMap { $0 as? String }
        #expect(words.count + found.count { $0 is NSNull } == found.count, "\(owner).\(name)")
        #expect(Set(words) == Self.words[key].map(Set.init), "\(owner).\(name)")
        #expect(Set(words).count == words.count, "\(owner).\(name) has a word twice")
      }
      for (key, value) in object where key != "enum" {
        switch key {
        case "properties":
          for (property, value) in value as? [String: Any] ?? [:] { look(value, owner: owner, name: property) }
        case "schemas":
          for (schema, value) in value as? [String: Any] ?? [:] { look(value, owner: schema, name: "") }
        case "parameters" where value is [String: Any]: look(value, owner: "parameters", name: "")
        default: look(value, owner: owner, name: name)
        }
      }
    }
    look(document, owner: "", name: "")
    #expect(seen == Set(Self.words.keys))
  }
}
