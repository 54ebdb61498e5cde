// Objects of the SDK may be used on any thread, so these classes are Sendable for code in language mode 6. In mode 5
// they aren't, like the original's: a subclass of an app would have to restate a conformance that is unchecked, and the
// compiler warns where it does not.

// unchecked: its own state is constant or `Guarded`.
@available(swift, introduced: 6)
extension OTSession: @unchecked Sendable {}

// unchecked: its own state is constant or `Guarded`.
@available(swift, introduced: 6)
extension OTPublisherKit: @unchecked Sendable {}

// unchecked: its own state is constant or `Guarded`.
@available(swift, introduced: 6)
extension OTSubscriberKit: @unchecked Sendable {}

// unchecked: its own state is constant or `Guarded`.
@available(swift, introduced: 6)
extension OTSessionICEConfig: @unchecked Sendable {}

// unchecked: its own state is constant or `Guarded`.
@available(swift, introduced: 6)
extension OTSessionSettings: @unchecked Sendable {}

// unchecked: what changes is `Guarded`, the rest is filled when it is made.
@available(swift, introduced: 6)
extension OTStream: @unchecked Sendable {}

// unchecked: as its superclass; what it adds is the main actor's.
@available(swift, introduced: 6)
extension OTPublisher: @unchecked Sendable {}

// unchecked: as its superclass; what it adds is the main actor's.
@available(swift, introduced: 6)
extension OTSubscriber: @unchecked Sendable {}

// unchecked: it is filled when it is made.
@available(swift, introduced: 6)
extension OTConnection: @unchecked Sendable {}

// unchecked: it is filled when it is made.
@available(swift, introduced: 6)
extension OTSessionCapabilities: @unchecked Sendable {}

// unchecked: it is filled when it is made.
@available(swift, introduced: 6)
extension OTMuteForcedInfo: @unchecked Sendable {}

// unchecked: it is filled when it is made.
@available(swift, introduced: 6)
extension OTVideoCodecPreference: @unchecked Sendable {}

// unchecked: it is filled when it is made.
@available(swift, introduced: 6)
extension OTSenderStats: @unchecked Sendable {}

// unchecked: it is filled when it is made.
@available(swift, introduced: 6)
extension OTTransportStats: @unchecked Sendable {}

// unchecked: it is filled when it is made.
@available(swift, introduced: 6)
extension OTPublisherKitVideoLayerStats: @unchecked Sendable {}

// unchecked: it is filled when it is made.
@available(swift, introduced: 6)
extension OTPublisherKitMediaLinkStats: @unchecked Sendable {}

// unchecked: it is filled when it is made.
@available(swift, introduced: 6)
extension OTPublisherKitVideoNetworkStats: @unchecked Sendable {}

// unchecked: it is filled when it is made.
@available(swift, introduced: 6)
extension OTPublisherKitAudioNetworkStats: @unchecked Sendable {}

// unchecked: it is filled when it is made.
@available(swift, introduced: 6)
extension OTSubscriberKitMediaLinkStats: @unchecked Sendable {}

// unchecked: it is filled when it is made.
@available(swift, introduced: 6)
extension OTSubscriberKitVideoNetworkStats: @unchecked Sendable {}

// unchecked: it is filled when it is made.
@available(swift, introduced: 6)
extension OTSubscriberKitAudioNetworkStats: @unchecked Sendable {}

// unchecked: it is filled before it is given away.
@available(swift, introduced: 6)
extension OTPublisherRtcStats: @unchecked Sendable {}

// unchecked: it is filled before it is given away.
@available(swift, introduced: 6)
extension OTAudioFormat: @unchecked Sendable {}

// unchecked: it is filled before it is given away.
@available(swift, introduced: 6)
extension OTVideoFormat: @unchecked Sendable {}

// unchecked: one thread at a time has a frame: the capturer until it hands it over, the renderer while it is called.
@available(swift, introduced: 6)
extension OTVideoFrame: @unchecked Sendable {}

// unchecked: one thread at a time has it: the transformer while it is called.
@available(swift, introduced: 6)
extension OTAudioData: @unchecked Sendable {}

// unchecked: it is constant, and one thread at a time calls the app's transformer.
@available(swift, introduced: 6)
extension OTVideoTransformer: @unchecked Sendable {}

// unchecked: it is constant, and one thread at a time calls the app's transformer.
@available(swift, introduced: 6)
extension OTAudioTransformer: @unchecked Sendable {}
