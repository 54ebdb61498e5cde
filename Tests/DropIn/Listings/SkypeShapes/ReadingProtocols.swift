// Protocols of an app's own that the SDK's classes conform to as they are, with the same optionals.
import Foundation
import SkypeForBusiness

protocol Conversing: AnyObject {
  var state: SfBConversationState { get }
  var subject: String { get }
  var remoteParticipants: [SfBParticipant] { get }
  var selfParticipant: SfBParticipant { get }
  var dominantSpeaker: SfBParticipant? { get }
  var canLeave: Bool { get }
  func leave() throws
}

protocol Addressed: AnyObject {
  var sipUri: URL { get }
  var displayName: String { get }
}

protocol Written: AnyObject {
  var sender: SfBPerson? { get }
  var text: String { get }
  var timestamp: Date { get }
}

extension SfBConversation: Conversing {}
extension SfBPerson: Addressed {}
extension SfBMessageActivityItem: Written {}
