"""Reads Perfetto traces with the protobuf library, from a description of the few messages it needs."""
from collections import defaultdict

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

_F = descriptor_pb2.FieldDescriptorProto
# Message: field name, number, type (a name: another message), repeated
_MESSAGES = {
    "Trace": [("packet", 1, "TracePacket", True)],
    "TracePacket": [("timestamp", 8, _F.TYPE_UINT64, False),
                    ("trusted_packet_sequence_id", 10, _F.TYPE_UINT32, False),
                    ("track_event", 11, "TrackEvent", False),
                    ("track_descriptor", 60, "TrackDescriptor", False)],
    "TrackDescriptor": [("uuid", 1, _F.TYPE_UINT64, False), ("name", 2, _F.TYPE_STRING, False),
                        ("process", 3, "ProcessDescriptor", False), ("parent_uuid", 5, _F.TYPE_UINT64, False),
                        ("counter", 8, "CounterDescriptor", False)],
    "ProcessDescriptor": [("pid", 1, _F.TYPE_INT32, False), ("process_name", 6, _F.TYPE_STRING, False)],
    "CounterDescriptor": [("unit_name", 6, _F.TYPE_STRING, False)],
    "DebugAnnotation": [("double_value", 5, _F.TYPE_DOUBLE, False), ("name", 10, _F.TYPE_STRING, False)],
    "TrackEvent": [("debug_annotations", 4, "DebugAnnotation", True), ("type", 9, _F.TYPE_INT32, False), ("track_uuid", 11, _F.TYPE_UINT64, False),
                   ("name", 23, _F.TYPE_STRING, False), ("double_counter_value", 44, _F.TYPE_DOUBLE, False)],
}
BEGIN, END, INSTANT, COUNTER = 1, 2, 3, 4


def _trace_class():
    file = descriptor_pb2.FileDescriptorProto(name="t3sim_test.proto", package="t3", syntax="proto2")
    for name, fields in _MESSAGES.items():
        message = file.message_type.add(name=name)
        for field, number, kind, repeated in fields:
            f = message.field.add(name=field, number=number,
                                  label=_F.LABEL_REPEATED if repeated else _F.LABEL_OPTIONAL)
            if isinstance(kind, str):
                f.type, f.type_name = _F.TYPE_MESSAGE, ".t3." + kind
            else:
                f.type = kind
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.MessageFactory(pool).GetPrototype(pool.FindMessageTypeByName("t3.Trace"))


class Track:
    """slices: (name, start, end); instants: (name, at); counters: (at, value); times in ns.
    arguments: {name: value} of each slice, in the order of slices."""

    def __init__(self, process, name, unit):
        self.process, self.name, self.unit = process, name, unit
        self.slices, self.arguments, self.instants, self.counters = [], [], [], []


def read(path):
    """All tracks of a trace. Raises ValueError where it does not keep Perfetto's rules."""
    trace = _trace_class()()
    with open(path, "rb") as file:
        trace.ParseFromString(file.read())
    processes, tracks, open_slices, last = {}, {}, defaultdict(list), defaultdict(int)
    for packet in trace.packet:
        if packet.HasField("track_descriptor"):
            d = packet.track_descriptor
            if d.uuid == 0 or d.uuid in tracks or d.uuid in processes:
                raise ValueError(f"track {d.uuid} is described twice")
            if d.HasField("process"):
                processes[d.uuid] = d.process.process_name
            else:
                tracks[d.uuid] = Track(processes[d.parent_uuid], d.name,
                                       d.counter.unit_name if d.HasField("counter") else None)
            continue
        event, at = packet.track_event, packet.timestamp
        track = tracks[event.track_uuid]
        if at < last[event.track_uuid]:
            raise ValueError(f"{track.name}: time goes back to {at}")
        last[event.track_uuid] = at
        if event.type == BEGIN:
            if open_slices[event.track_uuid]:
                raise ValueError(f"{track.name}: slices overlap")
            open_slices[event.track_uuid].append((event.name, at))
            track.arguments.append({a.name: a.double_value for a in event.debug_annotations})
        elif event.type == END:
            name, start = open_slices[event.track_uuid].pop()
            track.slices.append((name, start, at))
        elif event.type == INSTANT:
            track.instants.append((event.name, at))
        elif event.type == COUNTER:
            track.counters.append((at, event.double_counter_value))
        else:
            raise ValueError(f"event of type {event.type}")
    if any(open_slices.values()):
        raise ValueError("a slice has no end")
    return list(tracks.values())
