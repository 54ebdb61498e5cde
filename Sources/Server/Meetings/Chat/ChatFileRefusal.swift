/// Why a file is not taken. Each says what to do.
public enum ChatFileRefusal: Error, Sendable, Equatable {
  /// No files are taken here.
  case off
  /// The file has no bytes.
  case empty
  /// The file has more bytes than the limit.
  case tooLarge(limit: Int)
  /// All files of the meeting would be more than the limit.
  case meetingFull(limit: Int)
  /// All files of the tenant would be more than the limit.
  case tenantFull(limit: Int)
  /// As much is on its way as may be, by meeting, network or tenant.
  case tooManyOnTheWay(limit: Int)
  /// No space is left on the disk.
  case diskFull
  /// Fewer or more bytes came than were said.
  case incomplete
  /// The meeting is over, or the server ends.
  case closed
  case failed(String)

  public var code: String {
    switch self {
    case .off: "filesOff"
    case .empty: "emptyFile"
    case .tooLarge: "fileTooLarge"
    case .meetingFull: "meetingFilesFull"
    case .tenantFull: "quotaReached"
    case .tooManyOnTheWay: "tooManyUploads"
    case .diskFull: "diskFull"
    case .incomplete: "incompleteFile"
    case .closed: "meetingOver"
    case .failed: "fileNotStored"
    }
  }
}

extension ChatFileRefusal: CustomStringConvertible {
  /// The error and its remedy, as sentences for the sender of the file.
  public var description: String {
    switch self {
    case .off: "This meeting takes no files."
    case .empty: "The file is empty."
    case .tooLarge(let limit): "The file is larger than \(Self.size(limit)), the most that this meeting takes."
    case .meetingFull(let limit):
      "The files of this meeting would be more than \(Self.size(limit)) together. Delete some of them first."
    case .tenantFull(let limit):
      "The files of all meetings of this organisation would be more than \(Self.size(limit)) together. Try again later."
    case .tooManyOnTheWay(let limit):
      "Other files are on their way, and no more than \(Self.size(limit)) may be at the same time (chatUploads). Wait until they are sent, and try again."
    case .diskFull: "The server's disk is full; the file was not stored. Tell whoever runs the server."
    case .incomplete: "The file did not come whole; it was not stored. Send it again."
    case .closed: "The meeting is over; the file was not stored."
    case .failed: "The server could not store the file. Its log says why."
    }
  }

  private static func size(_ bytes: Int) -> String {
    bytes >= 1 << 20 && bytes % (1 << 20) == 0
      ? "\(bytes >> 20) MiB" : bytes >= 1 << 10 && bytes % (1 << 10) == 0 ? "\(bytes >> 10) KiB" : "\(bytes) bytes"
  }
}
