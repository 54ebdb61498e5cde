// A service and a part of a participant that tests of an app put in the place of real ones: those have an initialiser.
import SkypeForBusiness

class ServiceDouble: SfBConversationService {
  var starts = 0
  override var canStart: Bool { true }
  override func start() throws { starts += 1 }
}

class PartDouble: SfBParticipantService {
  override var state: SfBParticipantServiceState { .connected }
}

class SessionDouble: SfBAnonymousSession {
  let title: String
  init(title: String) {
    self.title = title
    super.init()
  }
}
