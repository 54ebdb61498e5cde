// The SDK's enumerations are those of C: numbers with global constants. Their numbers are this module's.

/// The media that a call begins with.
public struct MediaMode: RawRepresentable, Hashable, Sendable {
  public let rawValue: UInt32
  /// A mode by its number.
  public init(rawValue: UInt32) { self.rawValue = rawValue }
}

public let kVoice = MediaMode(rawValue: 0)
/// The camera is on as soon as the call is connected.
public let kVideo = MediaMode(rawValue: 1)

/// Is called with whether the microphone, and for video the camera, may be used.
public typealias MediaPermissionsCallback = @MainActor (Bool) -> Void

/// Why a call, a data connection or a transfer was not started, or has failed.
public struct BBMMediaError: RawRepresentable, Hashable, Error {
  public let rawValue: UInt32
  /// An error by its number.
  public init(rawValue: UInt32) { self.rawValue = rawValue }
}

public let kMediaErrorNoError = BBMMediaError(rawValue: 0)
/// The media manager is not started, or the setup of this endpoint is not complete.
public let kMediaErrorNotReady = BBMMediaError(rawValue: 1)
/// There is a voice or video call already.
public let kMediaErrorCallInProgress = BBMMediaError(rawValue: 2)
/// The number is not that of another identity.
public let kMediaErrorInvalidPeer = BBMMediaError(rawValue: 3)
/// The metadata has more than 4 KB, or a transfer more than there is room for.
public let kMediaErrorTooLarge = BBMMediaError(rawValue: 4)
/// It was refused: by the server, as for too many calls at once, or here for too many data connections with one user.
public let kMediaErrorRefused = BBMMediaError(rawValue: 5)
/// The other identity has no keys.
public let kMediaFailureKeyError = BBMMediaError(rawValue: 6)
/// The server is not reached.
public let kMediaFailureNetwork = BBMMediaError(rawValue: 7)
/// Media did not flow in time, or not at all.
public let kMediaFailureMediaSetup = BBMMediaError(rawValue: 8)
/// The connection of one side was lost, and did not come back.
public let kMediaFailureDisconnected = BBMMediaError(rawValue: 9)

/// The channel or the connection was closed before all was there, or the call was given up before the server took it.
public let kMediaErrorCancelled = BBMMediaError(rawValue: 10)
/// A file cannot be read or written, or what came is not what was sent.
public let kMediaErrorTransfer = BBMMediaError(rawValue: 11)

/// The way in which a call has ended, for call logs.
public struct BBMCallLogType: RawRepresentable, Hashable, Sendable {
  public let rawValue: UInt32
  /// A type by its number.
  public init(rawValue: UInt32) { self.rawValue = rawValue }
}

/// The call goes on.
public let kCallLogNone = BBMCallLogType(rawValue: 0)
/// One side has ended it.
public let kCallLogEnded = BBMCallLogType(rawValue: 1)
/// The connection was lost.
public let kCallLogDisconnected = BBMCallLogType(rawValue: 2)
/// Nobody has answered an incoming call in time.
public let kCallLogMissed = BBMCallLogType(rawValue: 3)
/// The other side was in a call.
public let kCallLogBusy = BBMCallLogType(rawValue: 4)
/// The other side did not answer in time.
public let kCallLogUnavailable = BBMCallLogType(rawValue: 5)
/// The caller has ended it before it was answered.
public let kCallLogCancelled = BBMCallLogType(rawValue: 6)
public let kCallLogDeclined = BBMCallLogType(rawValue: 7)
/// Media did not flow.
public let kCallLogConnectionError = BBMCallLogType(rawValue: 8)
/// Another endpoint of this identity has answered; not for call logs.
public let kCallLogCompletedElsewhere = BBMCallLogType(rawValue: 9)
/// Another endpoint of this identity has declined; not for call logs.
public let kCallLogDeclinedElsewhere = BBMCallLogType(rawValue: 10)

/// A request to the camera.
public struct CameraOperation: RawRepresentable, Hashable, Sendable {
  public let rawValue: UInt32
  /// An operation by its number.
  public init(rawValue: UInt32) { self.rawValue = rawValue }
}

public let kCameraOperationStart = CameraOperation(rawValue: 0)
public let kCameraOperationStop = CameraOperation(rawValue: 1)
/// Another camera is used.
public let kCameraOperationSwitch = CameraOperation(rawValue: 2)

/// The quality of a call's connection: that of the worse side.
public struct BBMCallQuality: RawRepresentable, Hashable, Sendable {
  public let rawValue: UInt32
  /// A quality by its number.
  public init(rawValue: UInt32) { self.rawValue = rawValue }
}

public let kCallQualityUnknown = BBMCallQuality(rawValue: 0)
public let kCallQualityLost = BBMCallQuality(rawValue: 1)
public let kCallQualityPoor = BBMCallQuality(rawValue: 2)
public let kCallQualityGood = BBMCallQuality(rawValue: 3)
public let kCallQualityExcellent = BBMCallQuality(rawValue: 4)

/// The content of a data channel.
public struct BBMDataChannelType: RawRepresentable, Hashable, Sendable {
  public let rawValue: UInt32
  /// A type by its number.
  public init(rawValue: UInt32) { self.rawValue = rawValue }
}

/// One block of bytes, in memory.
public let kDataChannelData = BBMDataChannelType(rawValue: 0)
/// One text in UTF-8, in memory.
public let kDataChannelString = BBMDataChannelType(rawValue: 1)
/// Blocks of bytes, one after the other, until the channel is closed.
public let kDataChannelStream = BBMDataChannelType(rawValue: 2)
/// One file, from disk to disk.
public let kDataChannelFile = BBMDataChannelType(rawValue: 3)
