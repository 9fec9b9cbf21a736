# SPDX-License-Identifier: GPL-2.0-only OR MIT
# OpenWrt's package of mptcpctl; src/ beside it holds tools/mptcpctl of the patchset.

include $(TOPDIR)/rules.mk

PKG_NAME:=mptcpctl
PKG_RELEASE:=1
PKG_LICENSE:=GPL-2.0-only OR MIT

include $(INCLUDE_DIR)/package.mk

define Package/mptcpctl
  SECTION:=net
  CATEGORY:=Network
  TITLE:=Choose and show the schedulers of Multipath TCP
  DEPENDS:=@KERNEL_MPTCP +kmod-inet-diag +kmod-inet-mptcp-diag
endef

define Package/mptcpctl/description
 Sets the packet scheduler and the congestion control of Multipath TCP, for all
 connections, for one program or for connections that exist, and shows what they do.
endef

define Build/Compile
	$(MAKE) -C $(PKG_BUILD_DIR) CC="$(TARGET_CC)" CFLAGS="$(TARGET_CFLAGS)" WARNINGS="-Wall" \
		LDFLAGS="$(TARGET_LDFLAGS)"
endef

define Package/mptcpctl/install
	$(INSTALL_DIR) $(1)/usr/bin $(1)/usr/lib/mptcpctl
	$(INSTALL_BIN) $(PKG_BUILD_DIR)/mptcpctl $(1)/usr/bin/
	$(INSTALL_DATA) $(PKG_BUILD_DIR)/libmptcpctl.so $(1)/usr/lib/mptcpctl/
endef

$(eval $(call BuildPackage,mptcpctl))
