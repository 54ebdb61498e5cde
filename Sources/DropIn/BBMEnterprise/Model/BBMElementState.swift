/// Whether an element or a list is known.
public struct BBMElementState: RawRepresentable, Hashable, Sendable {
  public let rawValue: UInt32
  /// A state by its number.
  public init(rawValue: UInt32) { self.rawValue = rawValue }
}

/// It has been asked for, and has not come.
public let kBBMStatePending = BBMElementState(rawValue: 0)
/// It is as the service has it.
public let kBBMStateCurrent = BBMElementState(rawValue: 1)
/// The service does not have it.
public let kBBMStateMissing = BBMElementState(rawValue: 2)
