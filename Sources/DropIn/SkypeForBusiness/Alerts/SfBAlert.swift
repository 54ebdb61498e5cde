import Foundation

/// Something that went wrong, or changed, without being asked for.
@preconcurrency @MainActor open class SfBAlert: SfBObject, SfBKeyValueObservable {
  /// The subject of the alert.
  open private(set) var type: SfBAlertType
  /// How bad it is.
  open private(set) var level: SfBAlertLevel
  /// The error, in words and as a code.
  open var error: any Error { problem }

  override class var keys: [ObservableKey] {
    [.value("type", \SfBAlert.type), .value("level", \SfBAlert.level), .value("error", \SfBAlert.problem)]
  }

  /// ``error`` as what it is.
  let problem: NSError

  init(_ type: SfBAlertType, _ level: SfBAlertLevel, _ error: NSError) {
    self.type = type
    self.level = level
    problem = error
    super.init(internal: ())
  }
}

/// Receives alerts. Implement one of the two spellings.
@preconcurrency @MainActor public protocol SfBAlertDelegate: AnyObject {
  /// An alert, once. The spelling of Swift 3 and later.
  func didReceive(_ alert: SfBAlert)
  /// An alert, once. The spelling of Swift 2.
  func didReceiveAlert(_ alert: SfBAlert)
}

// The SDK calls both, and neither calls the other: whichever an app has is called once.
extension SfBAlertDelegate {
  public func didReceive(_ alert: SfBAlert) {}
  public func didReceiveAlert(_ alert: SfBAlert) {}
}

/// Alerts on their way to a delegate. Without one they wait, the latest of a kind.
@MainActor final class AlertQueue {
  weak var delegate: (any SfBAlertDelegate)? {
    didSet { deliver() }
  }
  private var waiting: [SfBAlert] = []

  func post(_ type: SfBAlertType, _ level: SfBAlertLevel, _ error: NSError) {
    waiting.removeAll { $0.type == type && $0.level == level }
    waiting.append(SfBAlert(type, level, error))
    deliver()
  }

  private func deliver() {
    while let delegate, !waiting.isEmpty {
      let alert = waiting.removeFirst()
      delegate.didReceive(alert)
      delegate.didReceiveAlert(alert)
    }
  }
}
