import Meetings

/// Statuses of a vault's refusals, with the numbers that clients show.
extension Refusal {
  init(_ error: VaultRefusal) {
    switch error {
    case .store(let problem): self.init(problem)
    case .noVault: self.init(404, error.code, error.description)
    case .malformed: self.init(422, error.code, error.description)
    case .wrongPasscode(let left):
      self.init(403, error.code, error.description)
      triesLeft = left
    case .wrongRecoveryKey: self.init(403, error.code, error.description)
    case .locked(let seconds):
      self.init(423, error.code, error.description)
      self.seconds = seconds
    case .changed(let version):
      self.init(409, error.code, error.description)
      self.version = version
    case .proofRequired, .notPrepared, .unreadable: self.init(409, error.code, error.description)
    }
  }
}
