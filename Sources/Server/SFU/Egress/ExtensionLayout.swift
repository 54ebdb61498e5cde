import RTC

/// The identifiers of the header extensions that are written, read out of the negotiated map once; 0 for none.
struct ExtensionLayout: Sendable {
  let mid: UInt8
  let audioLevel: UInt8
  let absSendTime: UInt8
  let transportSequence: UInt8
  let orientation: UInt8
  let playoutDelay: UInt8
  let dependencyDescriptor: UInt8

  init(_ map: HeaderExtensionMap) {
    mid = map[.mid] ?? 0
    audioLevel = map[.audioLevel] ?? 0
    transportSequence = map[.transportSequenceNumber] ?? 0
    // Only receivers without transport-wide feedback estimate from it.
    absSendTime = transportSequence == 0 ? map[.absSendTime] ?? 0 : 0
    orientation = map[.videoOrientation] ?? 0
    playoutDelay = map[.playoutDelay] ?? 0
    dependencyDescriptor = map[.dependencyDescriptor] ?? 0
  }
}
