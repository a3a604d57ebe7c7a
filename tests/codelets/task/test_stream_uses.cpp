// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/task/stream_uses.hpp"

#include <doctest/doctest.h>

#include <initializer_list>

using starfmm::StreamUse;
using starfmm::StreamUses;

namespace {

enum Mode : bool { reads = false, writes = true };

enum Place : bool { own = false, aside = true };

/// Whether a part that uses one array waits.
bool waits(StreamUses& uses, Place place, Mode mode, std::uint32_t datum, std::size_t offset = 0) {
    const StreamUse use{datum, offset, mode == writes, place == aside};
    return uses.must_meet({&use, 1});
}

} // namespace

TEST_CASE("stream_uses: one stream's parts follow each other anyway") {
    for (const Place place : {own, aside}) {
        StreamUses uses;
        CHECK_FALSE(waits(uses, place, writes, 0));
        CHECK_FALSE(waits(uses, place, reads, 0));
        CHECK_FALSE(waits(uses, place, writes, 0));
    }
}

TEST_CASE("stream_uses: what the other stream writes is waited for, and what it reads") {
    StreamUses uses;
    CHECK_FALSE(waits(uses, aside, writes, 0));
    CHECK_FALSE(waits(uses, own, writes, 1));
    CHECK(waits(uses, own, reads, 0)); // read after write
    CHECK_FALSE(waits(uses, own, reads, 0));
    CHECK(waits(uses, aside, writes, 0)); // write after read
    CHECK(waits(uses, own, writes, 0));   // write after write
}

TEST_CASE("stream_uses: both may read") {
    StreamUses uses;
    CHECK_FALSE(waits(uses, own, reads, 3));
    CHECK_FALSE(waits(uses, aside, reads, 3));
}

TEST_CASE("stream_uses: arrays of one datum are told apart") {
    StreamUses uses;
    CHECK_FALSE(waits(uses, aside, writes, 0, 0));
    CHECK_FALSE(waits(uses, own, writes, 0, 64));
    CHECK_FALSE(waits(uses, own, writes, 1, 0));
    CHECK(waits(uses, own, reads, 0, 0));
}

TEST_CASE("stream_uses: streams that have met owe each other nothing") {
    StreamUses uses;
    CHECK_FALSE(waits(uses, aside, writes, 0));
    CHECK_FALSE(waits(uses, aside, writes, 1));
    CHECK(waits(uses, own, reads, 0));
    CHECK_FALSE(waits(uses, own, reads, 1)); // also written before they met
}

TEST_CASE("stream_uses: one of several arrays is enough") {
    StreamUses uses;
    const StreamUse far[]{{0, 0, false, true}, {1, 0, true, true}};
    const StreamUse near[]{{0, 0, false, false}, {2, 0, true, false}};
    const StreamUse gather[]{{1, 0, false, false}, {2, 0, false, false}, {3, 0, true, false}};
    CHECK_FALSE(uses.must_meet(far));
    CHECK_FALSE(uses.must_meet(near));
    CHECK(uses.must_meet(gather));
    uses.clear();
    CHECK_FALSE(uses.must_meet(gather));
}
