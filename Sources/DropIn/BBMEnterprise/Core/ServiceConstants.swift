/// The state of ``BBMEnterpriseService``.
public struct BBMCoreServiceState: RawRepresentable, Hashable, Sendable {
  public let rawValue: UInt32
  /// A state by its number.
  public init(rawValue: UInt32) { self.rawValue = rawValue }
}

public let kBBMCoreServiceStateNotStarted = BBMCoreServiceState(rawValue: 0)
public let kBBMCoreServiceStateStarted = BBMCoreServiceState(rawValue: 1)
public let kBBMCoreServiceStateStopping = BBMCoreServiceState(rawValue: 2)
public let kBBMCoreServiceStateStopped = BBMCoreServiceState(rawValue: 3)
/// It wipes its data and comes back by itself.
public let kBBMCoreServiceStateRestarting = BBMCoreServiceState(rawValue: 4)
/// Never entered: it stands for what Apple's systems refuse.
public let kBBMCoreServiceStatePlatformError = BBMCoreServiceState(rawValue: 5)
/// It could not be started.
public let kBBMCoreServiceStateError = BBMCoreServiceState(rawValue: 6)
public let kBBMCoreServiceStateFatalError = BBMCoreServiceState(rawValue: 7)

/// For whom a domain is.
public struct BBMConfigEnvironment: RawRepresentable, Hashable, Sendable {
  public let rawValue: UInt32
  /// An environment by its number.
  public init(rawValue: UInt32) { self.rawValue = rawValue }
}

/// For tests: domains of it may have authentication disabled.
public let kBBMConfig_Sandbox = BBMConfigEnvironment(rawValue: 0)
public let kBBMConfig_Production = BBMConfigEnvironment(rawValue: 1)

/// The place of the service's log.
public struct BBMLogMode: RawRepresentable, Hashable, Sendable {
  public let rawValue: UInt32
  /// A mode by its number.
  public init(rawValue: UInt32) { self.rawValue = rawValue }
}

/// To a file. This module has none, so nothing is written.
public let kBBMLogModeFile = BBMLogMode(rawValue: 0)
public let kBBMLogModeFileAndConsole = BBMLogMode(rawValue: 1)

/// How much the service writes to its log.
public struct BBMLogLevel: RawRepresentable, Hashable, Sendable {
  public let rawValue: UInt32
  /// A level by its number.
  public init(rawValue: UInt32) { self.rawValue = rawValue }
}

/// Errors and changes of states.
public let kLogLevelInfo = BBMLogLevel(rawValue: 0)
/// Every message as well, by its name.
public let kLogLevelVerbose = BBMLogLevel(rawValue: 1)

// The states of the setup, of tokens and of keys, as the globals have them.

public let kBBMSetupStateNotRequested = "NotRequested"
public let kBBMSetupStateOngoing = "Ongoing"
/// The identity has as many endpoints as it may have.
public let kBBMSetupStateFull = "Full"
/// The identity is on another device, from which it has to move.
public let kBBMSetupStateDeviceSwitch = "DeviceSwitchRequired"
/// A passcode is needed.
public let kBBMSetupStateSyncRequired = "SyncRequired"
/// The passcode is being used.
public let kBBMSetupStateSyncStarted = "SyncStarted"
public let kBBMSetupStateSuccess = "Success"
/// A token has to be sent.
public let kBBMAuthStateNeeded = "Needed"
public let kBBMAuthStateOk = "Ok"
/// The server has refused the token.
public let kBBMAuthStateRejected = "Rejected"
public let kBBMKeyStateNotSynced = "NotSynced"
public let kBBMKeyStateSynced = "Synced"
/// No passcode is needed yet.
public let kBBMSyncPasscodeStateNone = "None"
/// The identity has no keys: a passcode for new ones is needed.
public let kBBMSyncPasscodeStateNew = "New"
/// The identity has keys: their passcode is needed.
public let kBBMSyncPasscodeStateExisting = "Existing"
