#if !canImport(AudioToolbox) || os(Linux)

/// The result of a call of Apple's C interfaces; ``noErr`` when all is well.
public typealias OSStatus = Int32
/// The result of a successful call: 0.
public let noErr: OSStatus = 0
/// A number of an input or output of a unit.
public typealias AudioUnitElement = UInt32
/// The side of a unit that a call means.
public typealias AudioUnitScope = UInt32
/// The property of a unit that a call means.
public typealias AudioUnitPropertyID = UInt32
/// Bits that say how samples lie in memory.
public typealias AudioFormatFlags = UInt32
/// A format of audio.
public typealias AudioFormatID = UInt32

/// Samples without compression, `lpcm` in ASCII.
public let kAudioFormatLinearPCM: AudioFormatID = 0x6C70_636D
/// Samples with a sign.
public let kLinearPCMFormatFlagIsSignedInteger: AudioFormatFlags = 4
/// Samples with a sign.
public let kAudioFormatFlagIsSignedInteger: AudioFormatFlags = 4
/// All bits of a sample are used.
public let kAudioFormatFlagIsPacked: AudioFormatFlags = 8
/// All bits of a sample are used.
public let kLinearPCMFormatFlagIsPacked: AudioFormatFlags = 8

/// Units that play and capture.
public let kAudioUnitType_Output: UInt32 = 0x6175_6F75
/// The one for calls.
public let kAudioUnitSubType_VoiceProcessingIO: UInt32 = 0x7670_696F
/// The one for anything else.
public let kAudioUnitSubType_RemoteIO: UInt32 = 0x7269_6F63
/// The maker of Apple's units, `appl` in ASCII.
public let kAudioUnitManufacturer_Apple: UInt32 = 0x6170_706C

/// The unit as a whole, rather than one side.
public let kAudioUnitScope_Global: AudioUnitScope = 0
/// The samples that go into the unit.
public let kAudioUnitScope_Input: AudioUnitScope = 1
/// The samples that come out of the unit.
public let kAudioUnitScope_Output: AudioUnitScope = 2

/// Whether an input or output is used.
public let kAudioOutputUnitProperty_EnableIO: AudioUnitPropertyID = 2_003
/// The callback for captured audio.
public let kAudioOutputUnitProperty_SetInputCallback: AudioUnitPropertyID = 2_005
/// The layout of samples, an `AudioStreamBasicDescription`.
public let kAudioUnitProperty_StreamFormat: AudioUnitPropertyID = 8
/// The callback that provides the audio to play.
public let kAudioUnitProperty_SetRenderCallback: AudioUnitPropertyID = 23
/// Whether the unit has memory of its own.
public let kAudioUnitProperty_ShouldAllocateBuffer: AudioUnitPropertyID = 51
/// How long audio takes through the unit.
public let kAudioUnitProperty_Latency: AudioUnitPropertyID = 12

/// There is no such property.
public let kAudioUnitErr_InvalidProperty: OSStatus = -10_879
/// Samples cannot lie so: 16 bits at 48 kHz in one or two channels are taken.
public let kAudioUnitErr_FormatNotSupported: OSStatus = -10_868
/// There is no captured audio.
public let kAudioUnitErr_NoConnection: OSStatus = -10_876

/// How samples lie in memory.
public struct AudioStreamBasicDescription: Hashable, Sendable {
  /// Samples a second.
  public var mSampleRate: Float64 = 0
  /// The format of the audio.
  public var mFormatID: AudioFormatID = 0
  /// How samples lie in memory, in `kAudioFormatFlag…` bits.
  public var mFormatFlags: AudioFormatFlags = 0
  /// Bytes of a packet.
  public var mBytesPerPacket: UInt32 = 0
  /// Samples of each channel in a packet.
  public var mFramesPerPacket: UInt32 = 0
  /// Bytes of a sample of all channels.
  public var mBytesPerFrame: UInt32 = 0
  /// How many channels a frame has.
  public var mChannelsPerFrame: UInt32 = 0
  /// Bits of a sample.
  public var mBitsPerChannel: UInt32 = 0
  /// Always 0.
  public var mReserved: UInt32 = 0
  /// Nothing is said yet.
  public init() {}
  /// Every field, in the order of C's structure.
  public init(
    mSampleRate: Float64, mFormatID: AudioFormatID, mFormatFlags: AudioFormatFlags, mBytesPerPacket: UInt32,
    mFramesPerPacket: UInt32, mBytesPerFrame: UInt32, mChannelsPerFrame: UInt32, mBitsPerChannel: UInt32,
    mReserved: UInt32
  ) {
    (self.mSampleRate, self.mFormatID, self.mFormatFlags) = (mSampleRate, mFormatID, mFormatFlags)
    (self.mBytesPerPacket, self.mFramesPerPacket) = (mBytesPerPacket, mFramesPerPacket)
    (self.mBytesPerFrame, self.mChannelsPerFrame) = (mBytesPerFrame, mChannelsPerFrame)
    (self.mBitsPerChannel, self.mReserved) = (mBitsPerChannel, mReserved)
  }
}

/// The properties of the unit that is looked for.
public struct AudioComponentDescription: Hashable, Sendable {
  /// The purpose of the unit, such as `kAudioUnitType_Output`.
  public var componentType: UInt32 = 0
  /// The variant of the type, such as `kAudioUnitSubType_RemoteIO`.
  public var componentSubType: UInt32 = 0
  /// The maker, such as `kAudioUnitManufacturer_Apple`.
  public var componentManufacturer: UInt32 = 0
  /// Bits.
  public var componentFlags: UInt32 = 0
  /// The bits of the flags that count.
  public var componentFlagsMask: UInt32 = 0
  /// Nothing is said yet.
  public init() {}
  /// Every field, in the order of C's structure.
  public init(
    componentType: UInt32, componentSubType: UInt32, componentManufacturer: UInt32, componentFlags: UInt32,
    componentFlagsMask: UInt32
  ) {
    (self.componentType, self.componentSubType) = (componentType, componentSubType)
    (self.componentManufacturer, self.componentFlags) = (componentManufacturer, componentFlags)
    self.componentFlagsMask = componentFlagsMask
  }
}

/// Samples in memory that the buffer doesn't own.
public struct AudioBuffer {
  /// How many channels are interleaved in the buffer.
  public var mNumberChannels: UInt32
  /// Bytes.
  public var mDataByteSize: UInt32
  /// The first sample; nil without memory.
  public var mData: UnsafeMutableRawPointer?
  /// A buffer over memory that the caller keeps alive.
  public init(mNumberChannels: UInt32 = 0, mDataByteSize: UInt32 = 0, mData: UnsafeMutableRawPointer? = nil) {
    (self.mNumberChannels, self.mDataByteSize, self.mData) = (mNumberChannels, mDataByteSize, mData)
  }
}

/// Several of them; here one.
public struct AudioBufferList {
  /// How many there are.
  public var mNumberBuffers: UInt32
  /// The first buffer of the list.
  public var mBuffers: AudioBuffer
  /// A list of one.
  public init(mNumberBuffers: UInt32 = 1, mBuffers: AudioBuffer = AudioBuffer()) {
    (self.mNumberBuffers, self.mBuffers) = (mNumberBuffers, mBuffers)
  }
}

/// When samples are captured or played.
public struct AudioTimeStamp: Hashable, Sendable {
  /// Samples since the unit was started.
  public var mSampleTime: Float64 = 0
  /// Nanoseconds of this machine's clock.
  public var mHostTime: UInt64 = 0
  /// A time at sample 0.
  public init() {}
}

/// The flags by which a callback describes the samples.
public struct AudioUnitRenderActionFlags: OptionSet, Hashable, Sendable {
  /// The bits.
  public let rawValue: UInt32
  /// Flags by their bits.
  public init(rawValue: UInt32) { self.rawValue = rawValue }
  /// All samples are 0.
  public static let unitRenderAction_OutputIsSilence = AudioUnitRenderActionFlags(rawValue: 16)
}

/// Gives or takes samples: the app's object, flags, the time, the bus, how many samples of each channel, and where they
/// are. It is called on the unit's queue, so it belongs to no actor, like the C function that it is on Apple systems.
public typealias AURenderCallback =
  @Sendable (
    UnsafeMutableRawPointer, UnsafeMutablePointer<AudioUnitRenderActionFlags>, UnsafePointer<AudioTimeStamp>, UInt32,
    UInt32, UnsafeMutablePointer<AudioBufferList>?
  ) -> OSStatus

/// A callback and the app's object.
public struct AURenderCallbackStruct {
  /// The function to call; nil calls none.
  @preconcurrency public var inputProc: AURenderCallback?
  /// The app's object, passed to each call.
  public var inputProcRefCon: UnsafeMutableRawPointer?
  /// A callback and the app's object.
  @preconcurrency public init(inputProc: AURenderCallback? = nil, inputProcRefCon: UnsafeMutableRawPointer? = nil) {
    (self.inputProc, self.inputProcRefCon) = (inputProc, inputProcRefCon)
  }
}
#endif
